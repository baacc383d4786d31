#!/usr/bin/perl
# exam FILE: a lab's file as an examination's bundle has it, in its place.
#
#   lab.yaml, lab.LANGUAGE.yaml      no hints; of the public cases the first alone, without what it teaches: it shows that a program runs
#   README.md, README.LANGUAGE.md    without the section that holds the hints
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
    for my $part (@all) { push @out, @$part unless grep { /^<!-- hints -->$/ } @$part }
    die "$path: there are hints outside of their section\n" if grep { /^<details><summary>TODO / } @out;
    return @out;
}

my @new = $path =~ /\.yaml$/ ? exam_yaml(@lines) : exam_page(@lines);
open $file, '>', $path or die "$path: $!\n";
print $file @new;
close $file or die "$path: $!\n";
