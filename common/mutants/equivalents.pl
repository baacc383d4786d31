#!/usr/bin/perl
# `make mutants EQUIVALENTS=1000`: whether the mutants that solutions/NN/equivalent.yaml names are the same as the solution in so many random cases.
#
#   equivalents.pl CASES [LAB...]      SEED=1 says which cases; LARGEST=20000 the largest size; EQUIVALENT=FILE another file of them; all labs that have such a file without one
#
# A random case begins with one of the lab's cases, public or hidden, and draws its numbers anew: each stays, or is taken from another case of the same
# function, or lies anywhere between the smallest and the largest of these (small ones as often as large ones; powers of two where all are). So it keeps to the limits that the
# cases keep to; what the solution itself does not get right, without a finding, is no case. The judge makes the inputs and compares, as it does when
# a class is graded. What a run costs is not compared: the cases that ask for it have numbers of their own, with fixed sizes.
#
# A line for each mutant: how many cases it survived, or the first one that tells it from the solution. Then the share of the lab's mutants that are
# named equivalent, of which 10 of 100 are allowed. A signal to end (TERM, INT) ends the lab, and its lines are printed with
# the cases that there were. Exit status: 0; 1 when one is told, is no mutant any more, or there are too many; 2 when something fails.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use IPC::Open2;

my $cases_wanted = shift @ARGV // 1000;
my $kit = $ENV{KIT} // '.';
chdir $kit or die "$kit: $!\n";
my $build = $ENV{BUILD} // 'build';
chomp($kit = `pwd`);
$build = "$kit/$build" unless $build =~ m{^/};
my $largest = $ENV{LARGEST} || 20000;
my $seed = $ENV{SEED} || 1;
my $work = tempdir(CLEANUP => 1);
$| = 1;
$SIG{PIPE} = 'IGNORE';
my $ended = 0;
$SIG{TERM} = $SIG{INT} = sub { $ended = 1 };
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL KIT_LANG)};

sub text { my ($path) = @_; open my $f, '<', $path or return ''; local $/; return scalar <$f> }
sub write_text { my ($path, $text) = @_; open my $f, '>', $path or fail("$path: $!"); print $f $text; close $f }
sub fail { print STDERR "equivalents: @_\n"; exit 2 }

# Programs that compile while they run wait for each source once, and not once for each mutant.
my ($clang) = `$build/bin/labcc --version 2>/dev/null` =~ m{(/\S*clang\S*)};
if ($clang) {
    make_path("$work/compiled");
    write_text("$work/clang", "#!/bin/sh\nexec '$kit/common/mutants/remember.sh' '$work/compiled' '$clang' \"\$\@\"\n");
    chmod 0755, "$work/clang" or fail("$work/clang: $!");
    $ENV{LABCC_CLANG} = "$work/clang";
}

# ---- the lab's cases ----

# The texts between { and }, taken apart; quoted ones may have commas.
sub flow_map {
    my ($flow) = @_;
    my (%map, @keys);
    while ($flow =~ /(\w+):\s*("(?:[^"\\]|\\.)*"|[^,}]*)/g) {
        my ($key, $value) = ($1, $2);
        $value =~ s/^"(.*)"$/$1/;
        $value =~ s/\s+$//;
        push @keys, $key;
        $map{$key} = $value;
    }
    return (\%map, \@keys);
}

sub tolerance_of {
    my ($text, %tolerance) = @_;
    for my $key (qw(rtol atol nan)) { $tolerance{$key} = $1 if $text =~ /\b$key:\s*([\w.+-]+)/ }
    return %tolerance;
}

# Cases that run the program to a right end, and compare what it makes.
sub cases_of {
    my ($lab) = @_;
    my @cases;
    my ($of_lab) = text("labs/$lab/lab.yaml") =~ /^tolerance:(.*?)^\w/ms;
    my %tolerance = tolerance_of($of_lab // '', rtol => 0, atol => 0, nan => 'never');
    for my $file ("labs/$lab/lab.yaml", "solutions/$lab/hidden.yaml") {
        my ($list) = text($file) =~ /^cases:\n(.*?)(?=^\w|\z)/ms;
        for my $case (split /^  - (?=name:)/m, $list // '') {
            my ($name) = $case =~ /^name: (\S+)/ or next;
            my ($params) = $case =~ /^    params: \{(.*)\}/m or next;
            next if $case =~ /fail-at|^    run: false|^    check_output: false|^    expect_|^    answers:|^    host_finish/m;
            my ($of_case) = $case =~ /^    tolerance: \{(.*)\}/m;
            my ($map, $keys) = flow_map($params);
            my ($options) = $case =~ /^    vgpu: \[(.*?)\]/m;
            my ($devices) = $case =~ /^    devices: (\d+)/m;
            my @options = ($options // '') =~ /"([^"]*)"/g;
            push @options, "--devices=$devices" if $devices && !grep { /^--devices=/ } @options;
            push @cases, {name => $name, params => $map, keys => $keys, options => \@options,
                          tolerance => {tolerance_of($of_case // '', %tolerance)}};
        }
    }
    return @cases;
}

# ---- random numbers: the same in each run, on every machine ----

my $state;
sub draw { # below n
    my ($n) = @_;
    $state = ($state * 1103515245 + 12345) % 2147483648;
    return int($state / 2147483648 * $n);
}

sub is_power_of_two { my ($n) = @_; return $n > 2 && ($n & ($n - 1)) == 0 }
sub is_whole { return $_[0] =~ /^-?\d+$/ }

# A whole number from low to high, small ones as often as large ones.
sub between {
    my ($low, $high) = @_;
    my $span = $high - $low;
    return $low if $span <= 0;
    my $bits = 1;
    $bits++ while $bits < 40 && 2**$bits <= $span;
    my $limit = 2**(1 + draw($bits));
    $limit = $span + 1 if $limit > $span + 1;
    return $low + draw($limit);
}

# A number of a case, drawn anew. values: those of all cases of the function.
sub drawn {
    my ($key, $value, $values) = @_;
    my $way = draw(4);
    return $value if $way == 0 || @$values < 2;
    return $values->[draw(scalar @$values)] if $way == 1 || grep { !is_whole($_) } @$values;
    my @sorted = sort { $a <=> $b } @$values;
    my $high = $sorted[-1] > $largest ? $largest : $sorted[-1];
    return 2**between(log($sorted[0]) / log(2), log($high) / log(2)) if !grep { !is_power_of_two($_) } @sorted; # a tile's edge, the threads of a block
    return between($sorted[0], $high);
}

sub random_case {
    my ($cases) = @_;
    my $from = $cases->[draw(scalar @$cases)];
    my $of = $from->{params}{function} // $from->{params}{part} // '';
    my @same = grep { ($_->{params}{function} // $_->{params}{part} // '') eq $of && keys %{$_->{params}} == keys %{$from->{params}} } @$cases;
    my %case = (%$from, seed => 1 + draw(1 << 30), params => {%{$from->{params}}});
    for my $key (@{$from->{keys}}) {
        next if $key eq 'function' || $key eq 'part' || $key eq 'devices';
        my @values = grep { defined } map { $_->{params}{$key} } @same;
        $case{params}{$key} = drawn($key, $from->{params}{$key}, \@values);
        return if is_whole($case{params}{$key}) && $case{params}{$key} > 50 * $largest;
        $case{params}{$key} = $largest - draw(99) if $key =~ /^n$/ && $case{params}{$key} > $largest;
    }
    return \%case;
}

sub case_text { my ($c) = @_; return "$c->{name} with " . join(', ', map { "$_=$c->{params}{$_}" } @{$c->{keys}}) . ", seed $c->{seed}" }

# ---- programs and the judge ----

my ($from_judge, $to_judge, $judge_pid, $judge_path);
sub start_judge {
    $judge_pid = open2($from_judge, $to_judge, "$judge_path 2>/dev/null");
    $to_judge->autoflush(1);
}
sub end_judge { close $to_judge; close $from_judge; waitpid $judge_pid, 0 }

# The judge ends where numbers make no case: then there is no answer.
sub ask {
    print $to_judge join("\t", @_), "\n";
    my $answer = <$from_judge>;
    return $answer if defined $answer;
    end_judge();
    start_judge();
    return '';
}

sub build_program {
    my ($lab, $source, $name) = @_;
    my $folder = "$work/$lab-$name";
    system('cp', '-r', "labs/$lab", $folder) == 0 or fail("labs/$lab");
    remove_tree("$folder/build");
    chomp(my @files = `$build/bin/labtool files labs/$lab`);
    system('cp', "solutions/$lab/$_", "$folder/$_") for @files;
    system('cp', $source, "$folder/$files[0]") if $source;
    my ($stem) = $files[0] =~ /^(.*)\.cu$/;
    system("make --no-print-directory -s -C '$folder' KIT='$kit' KIT_BUILD='$build' >'$folder/log' 2>&1") == 0 or return;
    my ($program) = grep { -x } "$folder/build/$stem", "$folder/build/clang/$stem";
    return $program;
}

# Runs it; whether it ended well, without a finding, and the judge finds the result right.
sub passes {
    my ($program, $case, $folder) = @_;
    remove_tree("$folder/out", "$folder/after");
    unlink "$folder/report.json";
    my $pid = fork // fail("fork: $!");
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        alarm 1800; # of a busy machine; what counts is the processor's time
        exec 'prlimit', '--cpu=60', "$build/bin/vgpu", '--quiet', @{$case->{options}}, "--calls=$folder/calls", "--report=$folder/report.json", $program, $folder;
        exit 127;
    }
    waitpid $pid, 0;
    return 0 if $? != 0;
    my $t = $case->{tolerance};
    my $answer = ask('check', $folder, $case->{seed}, $t->{rtol}, $t->{atol}, $t->{nan}, map { "$_=$case->{params}{$_}" } @{$case->{keys}});
    return $answer =~ /"verdict":\s*"pass"/;
}

# ---- a lab ----

my $status = 0;
sub check_lab {
    my ($lab) = @_;
    return if $ended;
    my $equivalent = $ENV{EQUIVALENT} // "solutions/$lab/equivalent.yaml";
    chomp(my @files = `$build/bin/labtool files labs/$lab`);
    chomp(my $cuda = `common/mk/cuda-home.sh`);
    make_path("$work/whole-$lab");
    my @all = `$build/bin/mutate --whole='$work/whole-$lab' solutions/$lab/$files[0] -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++17 -include common/mutants/cuda.h -I labs/$lab -I common/lab -I '$cuda/include'`;
    fail("the mutants of $lab cannot be made") if $? != 0;
    write_text("$work/list", join '', @all);
    my (@mutants, $solution);
    my $n_named = 0;
    for (`awk -f common/mutants/named.awk '$equivalent' '$work/list'`) {
        chomp;
        my ($what, $number, @rest) = split /\t/;
        if ($what eq 'wrong') { print "$lab: $number @rest\n"; $status = 1 }
        next if $what ne 'named';
        $n_named++;
        my $program = build_program($lab, "$work/whole-$lab/$number.cu", "m$number");
        if (!$program) { print "$lab: does not compile: $rest[6]\n"; $status = 1; next }
        push @mutants, {number => $number, text => $rest[6], line => $rest[2], program => $program, survived => 0};
    }
    $solution = build_program($lab, undef, 'solution') or fail("the solution of $lab does not compile");
    $judge_path = "$build/labs/$lab/judge";
    start_judge();
    my @cases = cases_of($lab) or fail("$lab has no case to begin with");
    $state = $seed;
    my ($n, $tries, %names) = (0, 0);
    my $folder = "$work/case";
    while (!$ended && $n < $cases_wanted && $tries < 4 * $cases_wanted && grep { !$_->{told} } @mutants) {
        $tries++;
        my $case = random_case(\@cases) or next;
        remove_tree($folder);
        make_path($folder);
        my $made = ask('make', $folder, $case->{seed}, map { "$_=$case->{params}{$_}" } @{$case->{keys}});
        next unless $made =~ /"ok":\s*true/ && passes($solution, $case, $folder);
        $n++;
        $names{$case->{name}}++;
        for my $mutant (grep { !$_->{told} } @mutants) {
            my $passes = passes($mutant->{program}, $case, $folder);
            last if $ended; # the signal may have ended the program or the judge
            if ($passes) { $mutant->{survived}++ } else { $mutant->{told} = case_text($case) }
        }
    }
    end_judge();
    for my $mutant (@mutants) {
        print "$lab: mutant $mutant->{number}, line $mutant->{line} ", $mutant->{told} ? "is told by $mutant->{told} (after $mutant->{survived})" : "survives $mutant->{survived} cases", ": $mutant->{text}\n";
        $status = 1 if $mutant->{told} || ($n < $cases_wanted && !grep { $_->{told} } @mutants);
    }
    my $share = 100 * $n_named / @all;
    printf "%s: %d of %d mutants are named equivalent (%.1f %%); %d cases of %d drawn, from %d of the lab's\n", $lab, $n_named, scalar @all, $share, $n, $tries, scalar keys %names;
    remove_tree(grep { !m{/(clang|compiled)$} } glob "$work/*");
}

my @labs = @ARGV ? @ARGV : map { m{solutions/([^/]+)/} ? $1 : () } glob 'solutions/*/equivalent.yaml';
for my $lab (@labs) { -f "labs/$lab/lab.yaml" or fail("there is no lab $lab"); check_lab($lab) }
exit $status;
