#!/usr/bin/perl
# slides NN-name-slides.html...: each slide carries one thought and one picture, and its title says the thought.
#
#   title      one, a sentence of 4 to 20 words, which no other slide of the deck has
#   picture    one, with a text alternative
#   the rest   nothing: what is said stands in the notes
#
# Prints "page: slide N: what" for each fault; exit status 1 when there is one.
use strict;
use warnings;
use utf8;

my ($SLIDES_MIN, $WORDS_MIN, $WORDS_MAX) = (3, 4, 20);
my $faults = 0;
binmode STDOUT, ':utf8';

sub plain {
    my ($text) = @_;
    $text =~ s/<[^>]*>//gs;
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    return $text;
}

sub check_slide {
    my ($slide, $titles, $fault) = @_;
    $slide =~ s{<aside class="notes".*?</aside>}{}gs;
    my @headings = map { plain($_) } $slide =~ m{<h[1-6][^>]*>(.*?)</h[1-6]>}gs;
    $fault->(@headings . ' headings') if @headings != 1;
    my $title = $headings[0] // '';
    my $words = () = $title =~ /\S+/g;
    $fault->("a title of $words words: $title") if $words < $WORDS_MIN || $words > $WORDS_MAX;
    $fault->("its title is no sentence: $title") if $title !~ /^[\p{Lu}\d]|^cu/ || $title !~ /[.?!]$/;
    $fault->("another one has this title: $title") if $titles->{$title}++;
    my @pictures = $slide =~ /<(?:img|svg)\b([^>]*)/gs;
    $fault->(@pictures . ' pictures') if @pictures != 1;
    $fault->('a picture without words') if grep { !/alt="[^"]{10}/ && !/role="img"/ } @pictures;
    $slide =~ s{<h[1-6].*?</h[1-6]>}{}gs;
    my $rest = plain($slide);
    $fault->('more than title and picture: ' . substr $rest, 0, 40) if $rest ne '' || $slide =~ /<(?:table|pre|ul|ol)\b/;
}

for my $page (@ARGV) {
    open my $file, '<:utf8', $page or die "$page: $!\n";
    my $html = do { local $/; <$file> };
    my @slides = $html =~ m{<section class="slide">(.*?)</section>}gs;
    my ($n, %titles) = (1);
    my $fault = sub { print "$page: slide $n: @_\n"; $faults++ };
    for my $slide (@slides) { $n++; check_slide($slide, \%titles, $fault) }
    if (@slides < $SLIDES_MIN) { print "$page: ", scalar @slides, " slides behind the first\n"; $faults++ }
}
exit($faults ? 1 : 0);
