#!/usr/bin/perl
# student-pages KIT: the pages of a student's kit, in their place, as they are read there. What checks of the pages read (comments of a line) goes; links
# lead to where pages have gone to, and what they led to is left as text where it is not in the kit.
use strict;
use warnings;
use File::Basename;

my $kit = shift // die "usage: student-pages KIT\n";

# Where a link of a page in `folder` leads now; nothing when that is not here.
sub new_link {
    my ($folder, $link) = @_;
    my ($path, $part) = $link =~ /^([^#]*)(#.*)?$/;
    my $up = $folder eq $kit ? '' : '../' x (substr($folder, length($kit) + 1) =~ tr{/}{} + 1);
    return $link if -e "$folder/$path";
    return "docs/$path" . ($part // '') if $folder eq $kit && -e "$kit/docs/$path";
    return "${up}README$1" . ($part // '') if $path =~ m{(?:^|/)student((?:\.[\w-]+)?\.md)$} && -e "$kit/README$1";
    return;
}

for my $page (glob("$kit/*.md"), glob("$kit/docs/*.md"), glob("$kit/labs/*/README*.md")) {
    my $folder = dirname($page);
    open my $file, '<', $page or die "$page: $!\n";
    my @lines = grep { $folder =~ m{/labs/} || !/^<!-- .* -->$/ } <$file>;
    close $file;
    for (@lines) {
        s{\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)}{my ($text, $old) = ($1, $2); my $new = new_link($folder, $old); $new ? "[$text]($new)" : $text}ge;
    }
    open $file, '>', $page or die "$page: $!\n";
    print $file @lines;
    close $file or die "$page: $!\n";
}
