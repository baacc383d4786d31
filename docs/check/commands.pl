#!/usr/bin/perl
# commands [--bless] PAGE.md: runs what a manual tells its reader to type, in the order of the page, and compares what it prints with
# what the page shows. The current folder is the reader's; `cd` in one block holds for the next.
#
#     ```sh                         run; each block must end with status 0
#     <!-- not run: why -->         before a block: it is only read, and its why is said
#     <!-- may fail: why -->        behind a block: it may end with status 1 or 2, but all its commands must exist
#     <!-- run: COMMAND -->         run, not shown: what the reader does by hand
#     <!-- output: COMMAND -->      run; the ```text block behind it must show what is printed. --bless writes it there.
#
# Paths of this run's folder are shown without the folder. Exit status 1 when something does not hold.
use strict;
use warnings;
use Cwd;
use File::Temp;

my $bless = @ARGV && $ARGV[0] eq '--bless' && shift;
my $page = shift // die "usage: commands [--bless] PAGE.md\n";
my $root = getcwd();
my $where = $root;
my $faults = 0;
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BUILD KIT)};
$ENV{NO_COLOR} = 1;
$ENV{LC_ALL} = 'C.UTF-8';

sub fault { my ($line, $what, $output) = @_; print "$page:$line: $what\n"; print "    $_\n" for grep { defined } (split /\n/, $output // '')[-15 .. -1]; $faults++ }

# Runs shell text in the reader's folder; its status and what it printed.
sub run {
    my ($shell) = @_;
    my $pwd = File::Temp->new;
    my $script = File::Temp->new;
    print $script "cd '$where' || exit 99\n$shell\nstatus=\$?\npwd >'$pwd'\nexit \$status\n";
    close $script;
    my $output = qx(bash '$script' 2>&1 </dev/null);
    my $status = $? >> 8;
    my $now = <$pwd>;
    if (defined $now) { chomp $now; $where = $now }
    $output =~ s/\Q$root\E\///g;
    $output =~ s/^make(\[\d+\])?: (\*\*\*|Entering|Leaving).*\n//mg;
    return ($status, $output);
}

open my $file, '<', $page or die "$page: $!\n";
my @lines = <$file>;
close $file;
my (@out, $skip, $expect);
for (my $i = 0; $i < @lines; $i++) {
    my $line = $lines[$i];
    my $number = $i + 1;
    push @out, $line;
    if ($line =~ /^<!-- not run: (.+) -->$/) { $skip = 1; print "note: line $number is not run: $1\n" }
    elsif ($line =~ /^<!-- run: (.*) -->$/) {
        my ($status, $output) = run("set -e\n$1");
        fault($number, "ends with status $status: $1", $output) if $status;
    } elsif ($line =~ /^<!-- output: (.*) -->$/) { $expect = $1 }
    elsif ($line =~ /^```(\w*)$/) {
        my ($kind, $body) = ($1, '');
        while (++$i < @lines && $lines[$i] !~ /^```$/) { $body .= $lines[$i] }
        my $may_fail = ($lines[$i + 1] // '') =~ /^<!-- may fail: .+ -->$/;
        if ($kind eq 'text' && defined $expect) {
            my (undef, $output) = run($expect);
            if ($output ne $body) {
                fault($number, "`$expect` prints now:", $output) unless $bless;
                $body = $output;
            }
            undef $expect;
        } elsif ($kind eq 'sh' && !$skip) {
            my ($status, $output) = run(($may_fail ? '' : "set -e\n") . $body);
            fault($number, "ends with status $status", $output) if $status && !($may_fail && $status <= 2);
            fault($number, 'a command is not there', $output) if $output =~ /command not found|No rule to make target/;
        }
        push @out, $body, $lines[$i] // '';
        $skip = 0;
    } elsif ($line =~ /\S/) { undef $expect }
}
if ($bless) {
    open my $new, '>', $page or die "$page: $!\n";
    print $new @out;
    close $new or die "$page: $!\n";
}
exit($faults ? 1 : 0);
