#!/usr/bin/perl
# contract.pl HEADER NOTES: the table in a lab's notes.md of what its header promises, a sentence a line, and the
# cases that ask it; on standard output is the whole of NOTES, with the table as HEADER has it now.
#
#   <!-- contract -->
#   | of | sentence | cases |
#   | TODO 1 | out[i] = in[i] + i for 0 <= i < n. | one-block, TODO 1 |
#   <!-- end contract -->
#
# Sentences are those of the header's comments that stand on lines of their own, in their order. The last column
# is written by hand, and stays with its sentence; a new sentence has an empty one. It has names of cases, `TODO n`
# (the cases with that todo), `all`, or, for a sentence that no case can ask, the reason in parentheses.
use strict;
use warnings;

my ($header, $notes) = @ARGV;
sub content { my ($path) = @_; open(my $file, '<', $path) or die "contract: $path cannot be read\n"; local $/; return scalar <$file> }

# The lines of a comment as texts that stand for themselves: paragraphs, items of lists, `name   what it is`;
# what is indented belongs to the text before it.
sub texts {
    my ($comment) = @_;
    my @texts = ('');
    my ($indent, $item, $lead) = (0, 0, '');
    $comment =~ s/^ //;
    for (split /\n/, $comment) {
        s/^\s*\*(?: |$)//;
        s/\s+$//;
        my ($space, $line) = /^(\s*)(.*)$/;
        $line =~ s/\s{2,}(?=\S)/ /g unless $space eq '';
        if ($line eq '') {
            push @texts, '' if $item || $indent || $texts[-1] =~ /[.;]\)?$/;
            ($indent, $item) = (0, 0);
        } elsif ($line =~ /^- (.*)/) {
            $lead = "$1 " if !$item && $texts[-1] =~ s/(?:^|(?<=\. ))([^.]+)$//;
            push @texts, $lead . $line =~ s/^- //r;
            $item = 1;
        } elsif ($space eq '' && $line =~ /^(\w+(?:, \w+)*)\s{2,}(.*)/) {
            push @texts, "$1: $2";
            $item = 1;
        } elsif ($space ne '' && !$item) {
            $texts[-1] .= ($indent && length($space) <= $indent ? '; ' : ' ') . $line;
            $indent ||= length $space;
        } else {
            push @texts, '' if $indent;
            $indent = 0;
            $texts[-1] .= ($texts[-1] eq '' ? '' : ' ') . $line;
        }
    }
    s/^\s+|\s+$//g for @texts;
    return grep { $_ ne '' } @texts;
}

# [whose it is, the sentence] of all sentences.
sub sentences {
    my ($text) = @_;
    my ($first, @all) = (1);
    while ($text =~ m{^[ \t]*/\*(.*?)\*/([^\n]*\n(?:(?![ \t]*/\*)[^\n]*\n)*)}gms) {
        my ($comment, $code) = ($1, $2);
        last if $comment =~ /^\s*-+ For driver/;
        my ($name) = $code =~ /^typedef struct (\w+)/m ? $1 : $code =~ /(\w+)\(/;
        my $of = $first ? 'all' : $name // 'all';
        for (texts($comment)) {
            $of = $1 if s/^((?:TODO|Request) \d+(?: and \d+)?): //;
            for my $sentence (split /(?<=[^.]\.)\s+(?=[A-Za-z*`])/) {
                push @all, [$of, $sentence] unless $sentence =~ /^(?:Lab \d+:|What you write)/;
            }
        }
        $first = 0;
    }
    return @all;
}

my $page = content($notes);
my ($before, $old, $after) = $page =~ /^(.*<!-- contract -->\n)(.*?)(<!-- end contract -->.*)$/s
    or die "contract: $notes has no table: <!-- contract -->\n";
my %cases;
for (split /\n/, $old) {
    my @cell = split /(?<!\\)\|/;
    s/^\s+|\s+$//g for @cell;
    $cases{"$cell[1]|$cell[2]"} = $cell[3] if @cell >= 4;
}
my $table = "| of | sentence | cases |\n|---|---|---|\n";
for (sentences(content($header))) {
    my ($of, $sentence) = @$_;
    $sentence =~ s/\|/\\|/g;
    $sentence =~ s/\*(?=\S)/\\*/g;
    $table .= "| $of | $sentence | " . ($cases{"$of|$sentence"} // '') . " |\n";
}
print $before, $table, $after;
