#!/usr/bin/perl
# Every sentence that the code says in the student's language has a row in each language's table (common/base/language_*.def), and each
# row is said somewhere: by language_say("...") in C, by say '...' in a script, or in a table of sentences (verdicts, patterns, slips of compilers).
use strict;
use warnings;
my $kit = $ENV{KIT} // '.';
chdir $kit or die "$kit: $!\n";

sub text { my ($path) = @_; open my $file, '<', $path or die "$path: $!\n"; local $/; return <$file> }
my $literal = qr/"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*/;
sub joined { my ($l) = @_; my $all = join '', $l =~ /"((?:[^"\\]|\\.)*)"/g; return $all }

# The sentences of a C text: the literals in the brackets of language_say, but those that one of them is compared with.
sub said_in_c {
    my ($code) = @_;
    my @out;
    while ($code =~ /\b(?:language_say|put_hint)\(/g) {
        my ($depth, $inside) = (1, '');
        while ($depth && $code =~ /\G($literal|.)/gs) { $depth += $1 eq '(' ? 1 : $1 eq ')' ? -1 : 0; $inside .= $1 if $depth }
        push @out, joined($1) while $inside =~ /($literal)/g;
    }
    return @out;
}

sub said_in_script { my ($code) = @_; my @out = $code =~ /\bsay '([^']+)'/g; return @out }

sub faults {
    my ($said, $rows) = @_;
    my %said = map { $_ => 1 } @$said;
    my %row = map { $_ => 1 } @$rows;
    return ((map { "no row for \"$_\"" } grep { !$row{$_} } sort keys %said), (map { "nobody says \"$_\"" } grep { !$said{$_} } sort keys %row));
}

my @said;
push @said, said_in_c(text($_)) for grep { !m{/test/|/base/language\.c} } glob 'common/{base,lab,starters}/*.c grader/*/*.c';
push @said, said_in_script(text($_)) for glob 'common/lab/*.sh';
push @said, map { joined($_) } text('grader/core/verdicts.def') =~ /^X\(\w+, "[^"]+", \w+, ($literal)\)/mg;
push @said, map { joined($_) } text('common/lab/patterns.def') =~ /^X\("[^"]+", \w+, ($literal)\)/mg;
push @said, map { joined($_) } text('common/base/hints.h') =~ /^#define HINT_\w+\s+($literal)$/mg;
push @said, map { joined($_) } text('common/base/compiler_slips.def') =~ /^X\($literal, ($literal)\)/mg;
push @said, text('common/lab/judge_check.c') =~ /crash_hint\[\] = "([^"]+)"/;

my $n = 0;
sub ok { my ($fine, $what, @why) = @_; $n++; print $fine ? '' : 'not ', "ok $n - $what\n"; print "# $_\n" for @why }

ok(@said > 100, 'sentences are found', scalar @said);
for my $table (glob 'common/base/language_*.def') {
    my @rows = map { joined($_) } text($table) =~ /^X\(($literal), $literal\)/mg;
    my @faults = faults(\@said, \@rows);
    ok(!@faults, "$table has a row for each sentence, and no other", @faults);
}
ok(join('|', faults([said_in_c('f(language_say(l, a ? "one %s" : "t" "wo")); g("three"); language_say(l, h("four")));')], ['two', 'four', 'five'])) eq
    'no row for "one %s"|nobody says "five"', 'a missing row and a stale one are told');
print "1..$n\n";
