#!/usr/bin/perl
# links FOLDER: every link of the HTML pages in a folder leads somewhere, and every figure has a text alternative.
#
# A link inside the folder needs its file, and with #name an element of that id in it. Links to other hosts are only asked for their form.
# Prints a line for each fault: "page: what"; exit status 1 when there is one.
use strict;
use warnings;

my $folder = shift // die "usage: links FOLDER\n";
my $faults = 0;
my (%ids, %text);

sub fault { print "@_\n"; $faults++ }

# The page without its scripts, and the ids in it.
sub page {
    my ($name) = @_;
    return $text{$name} if exists $text{$name};
    open my $file, '<', "$folder/$name" or die "$folder/$name: $!\n";
    my $html = do { local $/; <$file> };
    $html =~ s/<script\b[^>]*>.*?<\/script>//gs;
    $ids{$name} = { map { $_ => 1 } $html =~ /\sid="([^"]*)"/g };
    return $text{$name} = $html;
}

sub unescape {
    my ($text) = @_;
    $text =~ s/%([0-9a-fA-F]{2})/chr hex $1/ge;
    $text =~ s/&amp;/&/g;
    return $text;
}

sub check_link {
    my ($from, $link) = @_;
    return if $link =~ /^(https?:\/\/[^\s\/]+|mailto:|data:)/;
    my ($path, $id) = unescape($link) =~ /^([^#?]*)(?:#(.*))?$/ or return fault "$from: odd link $link";
    $path =~ s/^\.\///;
    my $target = $path eq '' ? $from : $path;
    return fault "$from: $link leads to a file that is not there" unless -f "$folder/$target";
    return unless defined $id && $id ne '' && $target =~ /\.html$/;
    page($target);
    fault "$from: $link: no element has this id" unless $ids{$target}{$id};
}

my @pages = map { s/.*\///r } sort glob "$folder/*.html";
die "$folder: no pages\n" unless @pages;
for my $name (@pages) {
    my $html = page($name);
    check_link($name, $_) for $html =~ /\s(?:href|src)="([^"]*)"/g;
    for my $figure ($html =~ /(<img\b[^>]*>)/g) {
        fault "$name: a figure without a text alternative: " . substr $figure, 0, 60 unless $figure =~ /\salt="[^"]{10,}"/;
    }
    fault "$name: no language" unless $html =~ /<html[^>]*\slang="[a-zA-Z-]+"/;
    fault "$name: no title" unless $html =~ /<title>[^<]+<\/title>/;
}
exit($faults ? 1 : 0);
