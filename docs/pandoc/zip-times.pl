#!/usr/bin/perl
# zip-times FILE.epub: sets the time of every member of a ZIP file to 1980-01-01, so that the same book has the same bytes.
#
# Goes by the central directory: each entry there has its time at offset 12 (two times 16 bits), lengths at 28, and the place of its local
# header at 42; the local header has its time at offset 10. No ZIP64: books are small.
use strict;
use warnings;

my $path = shift // die "usage: zip-times FILE\n";
open my $file, '<:raw', $path or die "$path: $!\n";
my $zip = do { local $/; <$file> };
close $file;

my $end = rindex $zip, "PK\5\6";
die "$path: not a ZIP file\n" if $end < 0;
my ($entries, undef, $at) = unpack 'v V V', substr $zip, $end + 10, 10;
for (1 .. $entries) {
    die "$path: entry $_ of the directory is damaged\n" if substr($zip, $at, 4) ne "PK\1\2";
    my ($name, $extra, $comment) = unpack 'v v v', substr $zip, $at + 28, 6;
    my $header = unpack 'V', substr $zip, $at + 42, 4;
    substr($zip, $at + 12, 4) = pack 'v v', 0, 0x21;
    substr($zip, $header + 10, 4) = pack 'v v', 0, 0x21;
    $at += 46 + $name + $extra + $comment;
}
open $file, '>:raw', $path or die "$path: $!\n";
print $file $zip;
close $file or die "$path: $!\n";
