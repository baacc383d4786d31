#!/usr/bin/perl
# figures [--style]: the figures of the labs' handouts. Run in the kit's folder.
#
#   each lab      shows three at least: drawn ones (labs/NN-name/*.svg, in its README.md) and pictures of its films (solutions/films.txt)
#   each drawing  is shown, says a sentence as its title and a description, has only colours of docs/pandoc/figure.css and that style in it, and letters that
#                 can be read: on a screen of 390 px it is shown no smaller than 9 px a letter (lab.for_screen), so it may be 720 units wide at most,
#                 or its letters be larger
#
# --style writes the style into every drawing. Prints a line for each fault; exit status 1 when there is one.
use strict;
use warnings;

my $WANTED = 3; # figures of a lab
my ($LETTERS_MIN, $WIDTH_MAX) = (10, 760);
my $restyle = @ARGV && $ARGV[0] eq '--style';
my $faults = 0;
sub fault { print "@_\n"; $faults++ }
sub text { my ($path) = @_; open my $file, '<:utf8', $path or die "$path: $!\n"; local $/; return <$file> // '' }

my $style = text('docs/pandoc/figure.css');
$style =~ s{/\*.*?\*/\s*}{}gs;
$style =~ s/\s+/ /g;
$style =~ s/ ?([{},:;]) ?/$1/g;
$style =~ s/^ | $//g;
my %known = map { $_ => 1 } $style =~ /\[((?:fill|stroke)="#\w+")\]/g;
binmode STDOUT, ':utf8';

sub check_drawing {
    my ($path) = @_;
    my $svg = text($path);
    if ($restyle) {
        $svg =~ s{\n *<style>[^<]*</style>}{};
        $svg =~ s{(<svg\b[^>]*>)}{$1\n  <style>$style</style>};
        open my $file, '>:utf8', $path or die "$path: $!\n";
        print $file $svg;
        close $file or die "$path: $!\n";
    }
    fault("$path: its title is no sentence (it is a slide's, too)") unless $svg =~ m{<title id="t">[^<]{10,}[.?!]</title>};
    fault("$path: no description") unless $svg =~ m{<desc id="d">[^<]{20,}</desc>};
    my ($written) = $svg =~ m{<style>([^<]*)</style>};
    fault("$path: its style is not that of docs/pandoc/figure.css: docs/check/figures.pl --style") unless ($written // '') eq $style;
    (my $drawn = $svg) =~ s{<style>.*?</style>}{}s;
    my %unknown = map { $_ => 1 } grep { !$known{$_} } $drawn =~ /\b((?:fill|stroke)="#\w+")/g;
    fault("$path: $_ has no dark colour in docs/pandoc/figure.css") for sort keys %unknown;
    fault("$path: a colour in a style attribute") if $drawn =~ /style="[^"]*#/;
    my ($width) = $drawn =~ /viewBox="0 0 ([\d.]+) /;
    fault("$path: wider than $WIDTH_MAX units") if $width > $WIDTH_MAX;
    for my $size ($drawn =~ /font-size="([\d.]+)"/g) {
        if ($size < $LETTERS_MIN) { fault("$path: letters of $size units"); last }
    }
}

my %films;
if (open my $table, '<', 'solutions/films.txt') {
    for (<$table>) { $films{$1}++ if /^([^#\s]\S*) \| / }
}
for my $readme (sort glob 'labs/[0-9][0-9]-*/README.md') {
    my ($folder, $lab) = $readme =~ m{^(labs/(.*))/README\.md$};
    my $page = text($readme);
    my %shown = map { $_ => 1 } $page =~ /!\[.{10,}?\]\(([\w-]+\.svg)\)/g;
    for my $path (sort glob "$folder/*.svg") {
        check_drawing($path);
        my ($name) = $path =~ m{([^/]+)$};
        fault("$path: $readme does not show it, or not with words for who cannot see it") unless delete $shown{$name};
    }
    fault("$readme: $_ is not there") for sort keys %shown;
    my $drawn = () = glob "$folder/*.svg";
    my $n = $drawn + ($films{$lab} // 0);
    fault("$lab: $n of $WANTED figures") if $n < $WANTED && -d 'solutions';
}
exit($faults ? 1 : 0);
