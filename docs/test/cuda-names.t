#!/usr/bin/perl
# Every CUDA name in what a student has to write stands where it can be read before: in the lab's handout, an earlier one's, or one of the labs' headers; hints do
# not count. And the first handout that uses one of the words that the labs are about says what it means: there the word is *emphasised*.
use strict;
use warnings;
my $kit = $ENV{KIT} // '.';
chdir $kit or die "$kit: $!\n";

sub text { my ($path) = @_; open my $file, '<', $path or die "$path: $!\n"; local $/; return <$file> // '' }

# The names of the runtime, of the driver, of NVRTC, of the language and of its libraries that a text uses outside of comments and strings.
sub names_of {
    my ($code) = @_;
    $code =~ s{//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"}{}gs;
    my %names = map { $_ => 1 } $code =~ /\b(cuda[A-Z]\w*|nvrtc[A-Z]\w*|cu[A-Z]\w*|__[a-z]\w*|atomic[A-Z]\w*|dim3|(?:thread|block)Idx|(?:block|grid)Dim|wmma::\w+)\b/g;
    delete @names{qw(__FILE__ __LINE__ __restrict__ cuda_runtime)};
    return keys %names;
}

# What stands between `//@ solution` and its stub or end.
sub written { my ($code) = @_; return join '', $code =~ m{^ *//\@ solution \d+\n(.*?)^ *//\@ (?:stub|end)$}gms }

# The names in a code that what can be read does not have.
sub missing { my ($code, $read) = @_; return grep { my $short = s/^wmma:://r; $read !~ /\b\Q$short\E\b/ } sort(names_of($code)) }

# A handout without its folded hints; its prose alone, without code.
sub lesson { my ($page) = @_; $page =~ s/<!-- hints -->.*?<!-- end -->//gs; return $page }
sub prose { my ($page) = @_; $page =~ s/^```.*?^```//gms; $page =~ s/`[^`]*`//g; $page =~ s/^#.*//gm; return $page }

my @terms = qw(kernel thread block launch grid device host warp lane sector stream event barrier halo tile occupancy fragment intensity ridge);
# Those that the first handout to use them does not emphasise, with the lab.
sub untaught {
    my ($pages, @words) = @_; # pages: [lab, text] in order
    my @out;
    for my $term (@words) {
        my ($first) = grep { prose($_->[1]) =~ /\b$term(?:e?s)?\b/i } @$pages;
        push @out, "$term in $first->[0]" if $first && prose($first->[1]) !~ /\*$term(?:e?s)?\*/i;
    }
    return @out;
}

my $n = 0;
sub ok { my ($fine, $what, @why) = @_; $n++; print $fine ? '' : 'not ', "ok $n - $what\n"; print "# $_\n" for @why }

ok(join(' ', missing("int *p; cudaMalloc(&p, 4); // cudaFree\n__syncthreads();", 'call cudaMalloc')) eq '__syncthreads', 'a name that stands nowhere is found');
ok(written("a\n    //\@ solution 1\nb\n    //\@ stub\n//| c\n    //\@ end\nd\n") eq "b\n", 'what a student writes is found');
ok(!missing('cudaMalloc(&p, 4);', lesson("a\n<!-- hints -->\nb\n<!-- end -->\n`cudaMalloc`")) && missing('cudaMalloc(&p, 4);', lesson("<!-- hints -->\ncudaMalloc\n<!-- end -->\n")), 'hints do not count');
ok(join(' ', untaught([['one', "Each warp, `lane`."], ['two', 'A *warp* has *lanes*.']], 'warp', 'lane')) eq 'warp in one', 'a word that is used before it is taught is found');
my $read = '';
my @pages;
for my $lab (map { m{^labs/(.*)/README.md$} } sort glob 'labs/[0-9][0-9]-*/README.md') {
    push @pages, [$lab, lesson(text("labs/$lab/README.md"))];
    $read .= join "\n", $pages[-1][1], map { text($_) } glob("labs/$lab/*.h");
    my ($files) = text("labs/$lab/lab.yaml") =~ /^files: \[(.*)\]/m;
    my $code = join "\n", map { written(text("solutions/$lab/$_")) } grep { /\.cu$/ } split /, */, $files;
    my @missing = missing($code, $read);
    ok(!@missing, "$lab: the names of its solution can be read", @missing);
}
my @untaught = untaught(\@pages, @terms);
ok(!@untaught, 'words are taught where they are first used', @untaught);
print "1..$n\n";
