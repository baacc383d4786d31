#!/usr/bin/perl
# translations [--stamp] ORIGINAL TRANSLATION: a translated page or lab file still says what its original says.
#
#   page (.md)     the same skeleton: headings and their levels, code blocks (byte for byte), comments that tools read, figures, folded hints,
#                  steps of lists, rows of tables; the same TODOs; and every `code` of the original's sentences
#   lab.yaml       the same cases with the same texts (message, hint), the same hints and tiers
#   either         the first line's stamp is that of the original's text today: when the English has changed since, the translation is stale
#
# --stamp copies the original's code blocks into the translation's, in their order, and writes the stamp: run it when the translation has
# been brought up to date, and read the diff. Shown code and hints are made by `make starters`, and are no part of the stamp.
# Prints a line for each fault; exit status 1 when there is one.
use strict;
use warnings;
use utf8;
use Digest::SHA qw(sha256_hex);
use Encode qw(encode_utf8);
binmode STDOUT, ':utf8';

my $stamp = @ARGV && $ARGV[0] eq '--stamp' && shift;
my ($original, $translation) = @ARGV;
die "usage: translations [--stamp] ORIGINAL TRANSLATION\n" unless @ARGV == 2;
my $faults = 0;
sub fault { print "$translation: @_\n"; $faults++ }

sub lines_of { my ($path) = @_; open my $file, '<:utf8', $path or die "$path: $!\n"; my @lines = <$file>; return @lines }

my $own = qr/^<!-- (translation of .*|points) -->$|^# translation of /; # what only a translation has

# A page as [kind, what must be equal, line]: kinds are heading, code, comment, figure, step, row, fold.
sub skeleton {
    my (@lines) = @_;
    my (@out, $hints);
    for (my $i = 0; $i < @lines; $i++) {
        my $line = $lines[$i];
        if ($line =~ /^```/) {
            my ($at, $text) = ($i + 1, $line);
            do { $text .= $lines[++$i] // '' } until $i >= @lines || $lines[$i] =~ /^```$/;
            push @out, ['code', $text, $at];
        }
        elsif ($line =~ /^(#+) /) { push @out, ['heading', $1, $i + 1] }
        elsif ($line =~ $own) { }
        elsif ($line =~ /^<!-- (.*) -->$/) { push @out, ['comment', $1 =~ /^(not run|may fail):/ ? $1 : $1, $i + 1] }
        elsif ($line =~ /^<details>.*TODO (\d+)/) { push @out, ['fold', $1, $i + 1] }
        elsif ($line =~ /^(\d+)\. /) { push @out, ['step', $1, $i + 1] }
        elsif ($line =~ /^- /) { push @out, ['step', '-', $i + 1] }
        elsif ($line =~ /^\|/) { my $code = () = $line =~ /(?<!\\)\|/g; push @out, ['row', $code, $i + 1] }
        elsif ($line =~ /!\[(.*)\]\((.*)\)/) { push @out, ['figure', $2, $i + 1] }
    }
    return @out;
}

# What is written by hand: no code blocks, nothing between show or hints and its end.
sub prose {
    my ($made, $code, @out) = (0, 0);
    for (@_) {
        if (/^```/) { $code = !$code; next }
        $made = 1 if /^<!-- (show .*|hints) -->$/;
        $made = 0 if /^<!-- end -->$/;
        push @out, $_ unless $made || $code || $_ =~ $own;
    }
    return @out;
}

sub compare_pages {
    my ($from, $to) = @_;
    my @a = skeleton(@$from);
    my @b = skeleton(@$to);
    for my $i (0 .. ($#a > $#b ? $#a : $#b)) {
        my ($x, $y) = ($a[$i], $b[$i]);
        next if $x && $y && $x->[0] eq $y->[0] && $x->[1] eq $y->[1];
        my $what = $x ? "$x->[0] of line $x->[2] of $original" : 'nothing';
        fault(sprintf 'line %s: a %s stands where %s belongs', $y ? $y->[2] : 'end', $y ? $y->[0] : 'missing part', $what);
        last; # the rest is only out of step
    }
    my $here = join '', prose(@$to);
    my %seen;
    for my $code (join('', prose(@$from)) =~ /`([^`\n]+)`/g) {
        fault("`$code` of $original is not in it") unless $seen{$code}++ || index($here, "`$code`") >= 0;
    }
    for my $text (join('', prose(@$from)) =~ /TODO (\d+)/g) {
        fault("TODO $text is not in it") unless $seen{"TODO $text"}++ || $here =~ /TODO $text(?!\d)/;
    }
}

# The texts of a lab file: [path of keys, text], in their order. A tier is named by its number.
sub texts {
    my ($name, $todo, $tier, @out) = ('', 0, 0);
    for (@_) {
        if (/^cases:/) { $name = '' }
        elsif (/^hints:/) { $name = 'hints' }
        elsif (/^(title|goal): (.+)/) { push @out, [$1, $2] }
        elsif (/^  - name: (\S+)/) { $name = $1 }
        elsif (/^    (message|hint): (.+)/) { push @out, ["$name $1", $2] }
        elsif (/^  - todo: (\d+)/) { ($todo, $tier) = ($1, 0) }
        elsif (/^      - (.+)/ && $name eq 'hints') { push @out, ["TODO $todo hint " . ++$tier, $1] }
    }
    return @out;
}

sub compare_lab_files {
    my %b = map { $_->[0] => $_->[1] } texts(@{ $_[1] });
    for my $text (texts(@{ $_[0] })) {
        my ($key, $english) = @$text;
        my $there = delete $b{$key};
        if (!defined $there) { fault("no text for `$key`") }
        elsif ($there eq $english && $english =~ /[a-z]{3,} [a-z]{3,} [a-z]{3,}/) { fault("`$key` is still in English") }
    }
    fault("`$_` is not in $original") for sort keys %b;
}

my @from = lines_of($original);
my @to = lines_of($translation);
my $is_page = $original =~ /\.md$/;
my $hash = substr sha256_hex(encode_utf8(join '', $is_page ? prose(@from) : map { "@$_\n" } texts(@from))), 0, 16;
my $name = $original =~ s/.*\///r;
my $wanted = $is_page ? "<!-- translation of $name $hash -->\n" : "# translation of $name $hash\n";

if ($stamp) {
    if ($is_page) {
        my @code = map { $_->[1] } grep { $_->[0] eq 'code' } skeleton(@from);
        my @new;
        for (my $i = 0; $i < @to; $i++) {
            if ($to[$i] !~ /^```/) { push @new, $to[$i]; next }
            do { $i++ } until $i >= @to || $to[$i] =~ /^```$/;
            push @new, split /^/, shift @code // "```\n```\n";
        }
        @to = @new;
    }
    shift @to if $to[0] =~ /translation of/;
    unshift @to, $wanted;
    open my $file, '>:utf8', $translation or die "$translation: $!\n";
    print $file @to;
    close $file or die "$translation: $!\n";
}

fault("stale: $original has changed since it was translated; see `git log -p $original`, then docs/check/translations.pl --stamp") if $to[0] ne $wanted;
$is_page ? compare_pages(\@from, \@to) : compare_lab_files(\@from, \@to);
exit($faults ? 1 : 0);
