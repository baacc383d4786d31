#!/usr/bin/perl
# Every sentence of a finding has a row in each language's table (common/base/findings_*.def): titles and hints of the kinds (findings.def), hints that the
# facts support (hint.c), advice about calls (cudart, device, cuda), and what says where and who (finding_text.c). Names of values are the same on both sides of a row.
use strict;
use warnings;
my $kit = $ENV{KIT} // '.';
chdir $kit or die "$kit: $!\n";

sub text { my ($path) = @_; open my $file, '<', $path or die "$path: $!\n"; local $/; return <$file> }
my $literal = qr/"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*/;
sub joined { my ($l) = @_; my $all = join '', $l =~ /"((?:[^"\\]|\\.)*)"/g; $all =~ s/\\(["\\])/$1/g; return $all }

# Titles and hints: the last two texts of a row.
sub of_kinds {
    my ($table) = @_;
    my @out;
    while ($table =~ /^X\(\w+, "[^"]*", "[^"]*", \w+, ($literal),\s*($literal)\)/mg) { push @out, grep { $_ ne '' } joined($1), joined($2) }
    return @out;
}

# Whole hints: returned, or constants of their own. Where one is put together, its pieces.
sub of_facts {
    my ($code) = @_;
    my @out = map { joined($_) } $code =~ /(?:\breturn |\? |\[\] = )($literal)(?=;|\s*:)/g;
    push @out, map { joined($_) } $code =~ /strbuf_(?:puts|printf)\(&b, ($literal)/g;
    return grep { $_ ne 'atomic' } @out;
}

# Pieces with a word in them.
sub of_frame {
    my ($code) = @_;
    $code =~ s{/\*.*?\*/}{}gs;
    $code =~ s{^#.*}{}mg;
    return grep { /[a-z]{2}/ } map { joined($_) } $code =~ /strbuf_(?:puts|printf)\(out, (?:\w+ \? )?($literal)/g;
}

# Advice: whole texts that call_advise and check_advise are given, and the texts that are made for them.
sub of_advice {
    my ($code) = @_;
    my @out;
    while ($code =~ /\b(?:call_advise|check_advise|vgpu_advise)\(([^;]*)\);/g) { push @out, map { joined($_) } $1 =~ /($literal)/g }
    push @out, map { joined($_) } $code =~ /\b(?:order|hint) = ($literal);/g;
    return grep { $_ ne '' } @out;
}

# Advice with values in it: the formats of the texts that are made for it, in functions that advise.
sub of_made_advice {
    my ($code) = @_;
    my @out;
    for my $function (split /^\}/m, $code) {
        next if $function !~ /_advise\(/;
        while ($function =~ /\b(?:snprintf\((?:text|message|hint), sizeof \w+|strbuf_printf\(&text),([^;]*);/g) { push @out, map { joined($_) } $1 =~ /($literal)/g }
    }
    return grep { /[a-z]{2}.* / } @out;
}

# A format's or a piece's words: what stands between its values, blanks and line ends.
sub pieces { my ($sentence) = @_; $sentence =~ s/\\n|\\t//g; return grep { /[a-z]{2}/ } map { s/^[\s,(]+|[\s,(]+$//gr } split /%[-.*lz]*\w|0x%llx/, $sentence }

my $n = 0;
sub ok { my ($fine, $what, @why) = @_; $n++; print $fine ? '' : 'not ', "ok $n - $what\n"; print "# $_\n" for @why }

my @kinds = of_kinds(text('common/vgpu/check/findings.def'));
my @facts = of_facts(text('common/vgpu/check/hint.c'));
my @callers = glob 'common/vgpu/cudart/*.c common/vgpu/device/*.c common/vgpu/cuda/*.c';
my @advice = map { of_advice(text($_)) } @callers;
my @made = map { of_made_advice(text($_)) } @callers;
my @frame = of_frame(text('common/vgpu/check/finding_text.c'));
my $n_kinds = () = text('common/vgpu/check/findings.def') =~ /^X\(/mg;
ok(@kinds >= $n_kinds && @facts > 20 && @frame > 20 && @advice > 20 && @made > 4, 'sentences are found', scalar(@kinds), scalar(@facts), scalar(@frame), scalar(@advice), @made);

sub missing {
    my ($rows, $kinds, $pieces) = @_;
    my %row = map { $_->[0] => 1 } @$rows;
    my $all = join "\n", map { $_->[0] } @$rows;
    return ((grep { !$row{$_} } @$kinds), grep { index($all, $_) < 0 } map { pieces($_) } @$pieces);
}
ok(join('|', missing([['a {b} c'], ['made at {Place}']], ['a {b} c', 'd'], ['  made at %s:%u\n', ', freed'])) eq 'd|freed', 'a missing row is told');

for my $path (glob 'common/base/findings_*.def') {
    my @rows = map { [joined($_->[0]), joined($_->[1])] } map { [/^X\(($literal), ($literal)\)/] } grep { /^X/ } split /\n/, text($path);
    my @missing = missing(\@rows, [@kinds, @advice], [@facts, @frame, @made]);
    ok(!@missing, "$path has them all", map { "no row for '$_'" } @missing);
    my @uneven = grep { join(' ', sort $_->[0] =~ /\{(\w+)\}/g) ne join(' ', sort $_->[1] =~ /\{(\w+)\}/g) } @rows;
    ok(!@uneven, 'with the same values on both sides', map { $_->[0] } @uneven);
    my %seen;
    my @twice = grep { $seen{$_->[0]}++ } @rows;
    ok(!@twice, 'each once', map { $_->[0] } @twice);
}
print "1..$n\n";
