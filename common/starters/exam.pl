#!/usr/bin/perl
# exam FILE: a lab's file as an examination's bundle has it, in its place.
#
#   lab.yaml, lab.LANGUAGE.yaml      no hints; of the public cases the first alone, without what it teaches: it shows that a program runs
#   README.md, README.LANGUAGE.md    without the sections of hints and of common mistakes, and without a word of `make hint`
#   Makefile, lab.mk                 without `make hint`; lab.mk tells the programs to write no hints (common/base/hints.h)
#
# What cannot be read that way is refused, exit status 1: nothing goes out that should not.
use strict;
use warnings;

my $path = shift // die "usage: exam FILE\n";
open my $file, '<', $path or die "$path: $!\n";
my @lines = <$file>;
close $file;

# A list under `cases:` and one under `hints:`, in block style, as all labs have them.
sub exam_yaml {
    my ($key, $cases, @out) = ('', 0);
    for (@_) {
        $key = $1 if /^([a-z_]+):/;
        next if $key eq 'hints';
        $cases++ if $key eq 'cases' && /^  - /;
        next if $cases > 1 && $key eq 'cases';
        next if $key eq 'cases' && /^    (hint|message): /;
        push @out, $_;
    }
    die "$path: no case is left\n" unless $cases;
    my ($left) = grep { /\b(hint|hints|message|tiers):/ && !/^    tiers: \[\{at_/ } @out;
    die "$path: cannot take this out: $left" if $left;
    return @out;
}

sub exam_page {
    my ($section, @out, @all) = ([]);
    for (@_) {
        if (/^## /) { push @all, $section; $section = [] }
        push @$section, $_;
    }
    push @all, $section;
    for my $part (@all) { push @out, @$part unless grep { /^<!-- hints -->$|^## (Common mistakes|常见错误)/ } @$part }
    @out = grep { !/^(hint|提示)[:：]/ } @out;
    s/,? ?(?:and|以及|，)? ?`make hint[^`]*`(?: helps(?: with [^.]*)?| ?给出提示)?//g for @out;
    my ($left) = grep { /make hint/ } @out;
    die "$path: cannot take this out: $left" if $left;
    die "$path: there are hints outside of their section\n" if grep { /^<details><summary>TODO / } @out;
    return @out;
}

# A rule goes with the comment in front of it and its recipe.
sub exam_makefile {
    my $text = join '', @_;
    $text =~ s/^hint: .*\n(?:\t.*\n)*\n?//m;
    $text =~ s/^(#.*?),? `make hint`[^.,]*/$1/gm;
    $text =~ s/^#   make hint .*\n//gm;
    $text =~ s/^(\.PHONY:.*) hint\b/$1/gm;
    die "$path: there is still a word of make hint\n" if $text =~ /make hint/;
    return $text unless $path =~ /lab\.mk$/;
    $text =~ s/^export KIT_LANG\n/export KIT_LANG\nexport KIT_HINTS := no\n/m or die "$path: cannot tell the programs to write no hints\n";
    return $text;
}

my @new = $path =~ /Makefile$|\.mk$/ ? exam_makefile(@lines) : $path =~ /\.yaml$/ ? exam_yaml(@lines) : exam_page(@lines);
open $file, '>', $path or die "$path: $!\n";
print $file @new;
close $file or die "$path: $!\n";
