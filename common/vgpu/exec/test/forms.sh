#!/bin/bash
# Forms of instructions, a line each, from rows of brace expansions: more than there are. ptxas says which of them exist (test_forms.c).
# Registers: %p predicates, %b 8 bits, %h 16, %r 32, %d 64, %q 128. Addresses: [%d8] any space, [g] global, [s] shared, [c] constant, [l] local.
set -f
row() { printf '%s\n' "$@" | tr '~' ' '; } # each word a form, blanks written ~
I16={u16,s16} I32={u32,s32} I64={u64,s64}
rnd={,.rn,.rz,.rm,.rp}
cmpi={eq,ne,lt,le,gt,ge,lo,ls,hi,hs}
cmpf={eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}
e() { eval "row $1"; }
# registers of a type: R16 etc. are the operand lists by width
H3='~%h1,%h2,%h3\;' R3='~%r1,%r2,%r3\;' D3='~%d1,%d2,%d3\;'
H2='~%h1,%h2\;' R2='~%r1,%r2\;' D2='~%d1,%d2\;'
H4='~%h1,%h2,%h3,%h4\;' R4='~%r1,%r2,%r3,%r4\;' D4='~%d1,%d2,%d3,%d4\;'
# 9.7.1 integer
e "{add,sub}{,.sat}.{u16,s16}$H3"; e "{add,sub}{,.sat,.cc}.{u32,s32,u16x2,s16x2}$R3"; e "{add,sub}{,.sat,.cc}.{u64,s64}$D3"
e "mul{,.lo,.hi}.{u16,s16}$H3"; e "mul{,.lo,.hi}.{u32,s32}$R3"; e "mul{,.lo,.hi}.{u64,s64}$D3"; e "mul.wide.{u16,s16}~%r1,%h1,%h2\;"; e "mul.wide.{u32,s32}~%d1,%r1,%r2\;"
e "mad{,.lo,.hi}{,.sat,.cc}.{u16,s16}$H4"; e "mad{,.lo,.hi}{,.sat,.cc}.{u32,s32}$R4"; e "mad{,.lo,.hi}{,.sat,.cc}.{u64,s64}$D4"; e "mad.wide.{u16,s16}~%r1,%h1,%h2,%r2\;"; e "mad.wide.{u32,s32}~%d1,%r1,%r2,%d2\;"
e "mul24.{lo,hi}.{u32,s32}$R3"; e "mad24.{lo,hi}{,.sat}.{u32,s32}$R4"
e "sad.{u16,s16}$H4"; e "sad.{u32,s32}$R4"; e "sad.{u64,s64}$D4"
e "{div,rem}.{u16,s16}$H3"; e "{div,rem}.{u32,s32}$R3"; e "{div,rem}.{u64,s64}$D3"
e "{abs,neg}.{s16,u16}$H2"; e "{abs,neg}.{s32,u32}$R2"; e "{abs,neg}.{s64,u64}$D2"
e "{min,max}{,.relu}.{u16,s16}$H3"; e "{min,max}{,.relu}.{u32,s32,u16x2,s16x2}$R3"; e "{min,max}{,.relu}.{u64,s64}$D3"
e "{popc,clz}.b32$R2"; e "{popc,clz}.b64~%r1,%d2\;"; e "bfind{,.shiftamt}.{u32,s32}$R2"; e "bfind{,.shiftamt}.{u64,s64}~%r1,%d2\;"
e "fns.b32$R4"; e "brev.b32$R2"; e "brev.b64$D2"; e "bfe.{u32,s32}$R4"; e "bfe.{u64,s64}~%d1,%d2,%r3,%r4\;"
e "bfi.b32~%r1,%r2,%r3,%r4,%r5\;"; e "bfi.b64~%d1,%d2,%d3,%r4,%r5\;"; e "szext.{clamp,wrap}.{u32,s32}$R3"; e "bmsk.{clamp,wrap}.b32$R3"
e "dp4a.{u32,s32}.{u32,s32}$R4"; e "dp2a.{lo,hi}.{u32,s32}.{u32,s32}$R4"
# 9.7.2 extended precision
e "{addc,subc}{,.cc}.{u32,s32}$R3"; e "{addc,subc}{,.cc}.{u64,s64}$D3"; e "madc.{lo,hi}{,.cc}.{u32,s32}$R4"; e "madc.{lo,hi}{,.cc}.{u64,s64}$D4"
# 9.7.3, 9.7.4 floating point
e "testp.{finite,infinite,number,notanumber,normal,subnormal}.f32~%p1,%r1\;"; e "testp.{finite,infinite,number,notanumber,normal,subnormal}.f64~%p1,%d1\;"
e "copysign.f32$R3"; e "copysign.f64$D3"
e "{add,sub,mul}$rnd{,.ftz}{,.sat}.f32$R3"; e "{add,sub,mul}$rnd{,.ftz}.f32x2$D3"; e "{add,sub,mul}$rnd.f64$D3"
e "{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,bf16}$H3"; e "{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16x2,bf16x2}$R3"
e "{fma,mad}$rnd{,.ftz}{,.sat}.f32$R4"; e "fma$rnd{,.ftz}.f32x2$D4"; e "{fma,mad}$rnd.f64$D4"
e "fma.rn{,.ftz}{,.sat,.relu,.oob,.oob.relu}.{f16,bf16}$H4"; e "fma.rn{,.ftz}{,.sat,.relu,.oob,.oob.relu}.{f16x2,bf16x2}$R4"
e "div{.approx,.full,.rn,.rz,.rm,.rp}{,.ftz}.f32$R3"; e "div{.rn,.rz,.rm,.rp}.f64$D3"
e "{abs,neg}{,.ftz}.f32$R2"; e "{abs,neg}.f64$D2"; e "{abs,neg}{,.ftz}.{f16,bf16}$H2"; e "{abs,neg}{,.ftz}.{f16x2,bf16x2}$R2"
e "{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32$R3"; e "{min,max}{,.ftz}{,.NaN}{,.abs}.f32$R4"; e "{min,max}.f64$D3"
e "{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,bf16}$H3"; e "{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16x2,bf16x2}$R3"
e "{rcp,sqrt}{.approx,.rn,.rz,.rm,.rp}{,.ftz}.f32$R2"; e "{rcp,sqrt}{.rn,.rz,.rm,.rp,.approx,.approx.ftz}.f64$D2"; e "rsqrt.approx{,.ftz}.f32$R2"; e "rsqrt.approx{,.ftz}.f64$D2"
e "{sin,cos,lg2,ex2}.approx{,.ftz}.f32$R2"; e "tanh.approx.f32$R2"; e "{ex2,tanh}.approx{,.ftz}.{f16,bf16}$H2"; e "{ex2,tanh}.approx{,.ftz}.{f16x2,bf16x2}$R2"
e "{add,sub}$rnd{,.sat}.f32.{f16,bf16}~%r1,%h1,%r2\;"; e "fma$rnd{,.sat}.f32.{f16,bf16}~%r1,%h1,%h2,%r2\;"
# 9.7.6, 9.7.7 comparison and selection
for d in u32 s32 f32 ; do
e "set.$cmpi.$d.{b16,u16,s16}~%r1,%h1,%h2\;"; e "set.$cmpi.$d.{b32,u32,s32}~%r1,%r2,%r3\;"; e "set.$cmpi.$d.{b64,u64,s64}~%r1,%d1,%d2\;"
e "set.$cmpf{,.ftz}.$d.f32~%r1,%r2,%r3\;"; e "set.$cmpf.$d.f64~%r1,%d1,%d2\;"
e "set.{lt,nan}.{and,or,xor}{,.ftz}.$d.{s32,f32}~%r1,%r2,%r3,{,!}%p1\;"; done
e "set.$cmpf{,.ftz}.{f16,bf16}.{f16,bf16}~%h1,%h2,%h3\;"; e "set.$cmpf{,.ftz}.{u16,s16}.{f16,bf16}~%h1,%h2,%h3\;"; e "set.$cmpf{,.ftz}.{u32,s32}.{f16,bf16}~%r1,%h2,%h3\;"
e "set.$cmpf{,.ftz}.{f16x2,bf16x2,u16x2,s16x2,u32,s32}.{f16x2,bf16x2}~%r1,%r2,%r3\;"; e "set.{lt,num}.{and,or,xor}{,.ftz}.{f16x2,bf16x2}.{f16x2,bf16x2}~%r1,%r2,%r3,{,!}%p1\;"; e "set.{lt,num}.{and,or,xor}.{f16,bf16}.{f16,bf16}~%h1,%h2,%h3,%p1\;"
e "set.{eq,ne,lt}.{f16,bf16}.{b16,u16,s16}~%h1,%h2,%h3\;"; e "set.{eq,ne,lt}.{f16,bf16}.{b32,u32,s32,f32}~%h1,%r2,%r3\;"; e "set.{eq,lt}.{u16,s16}.{u16,s32}~%h1,%r2,%r3\;"
for q in '%p1' '%p1\|%p2'; do
e "setp.$cmpi.{b16,u16,s16}~$q,%h1,%h2\;"; e "setp.$cmpi.{b32,u32,s32}~$q,%r2,%r3\;"; e "setp.$cmpi.{b64,u64,s64}~$q,%d1,%d2\;"; e "setp.$cmpf{,.ftz}.f32~$q,%r2,%r3\;"; e "setp.$cmpf.f64~$q,%d1,%d2\;"
e "setp.{lt,ne}.{and,or,xor}.{b32,s32,f32}~$q,%r2,%r3,{,!}%p3\;"; e "setp.$cmpf{,.ftz}.{f16,bf16}~$q,%h2,%h3\;"; e "setp.$cmpf{,.ftz}.{f16x2,bf16x2}~$q,%r2,%r3\;"; e "setp.{lt,num}.{and,or,xor}.{f16x2,bf16x2}~$q,%r2,%r3,{,!}%p3\;"; done
e "selp.{b16,u16,s16,f16,bf16}~%h1,%h2,%h3,%p1\;"; e "selp.{b32,u32,s32,f32,f16x2}~%r1,%r2,%r3,%p1\;"; e "selp.{b64,u64,s64,f64}~%d1,%d2,%d3,%p1\;"
e "slct{,.ftz}.{b16,u16,s16}.{s32,f32}~%h1,%h2,%h3,%r4\;"; e "slct{,.ftz}.{b32,u32,s32,f32}.{s32,f32}~%r1,%r2,%r3,%r4\;"; e "slct{,.ftz}.{b64,u64,s64,f64}.{s32,f32}~%d1,%d2,%d3,%r4\;"
# 9.7.8 logic and shift
e "{and,or,xor}.pred~%p1,%p2,{,!}%p3\;"; e "{and,or,xor}.b16$H3"; e "{and,or,xor}.b32$R3"; e "{and,or,xor}.b64$D3"; e "not.pred~%p1,%p2\;"; e "{not,cnot}.b16$H2"; e "{not,cnot}.b32$R2"; e "{not,cnot}.b64$D2"
e "lop3.b32~%r1,%r2,%r3,%r4,0x1e\;"; e "lop3.{and,or}.b32~{%r1,_}\|%p1,%r2,%r3,%r4,0x1e,%p2\;"; e "lop3.{and,or}.b32~%r1\|%p1,%r2,%r3,%r4,0x1e,!%p2\;"
e "shf.{l,r}.{clamp,wrap}.b32$R4"; e "shl.b16~%h1,%h2,%r1\;"; e "shl.b32$R3"; e "shl.b64~%d1,%d2,%r1\;"; e "shr.{b16,u16,s16}~%h1,%h2,%r1\;"; e "shr.{b32,u32,s32}$R3"; e "shr.{b64,u64,s64}~%d1,%d2,%r1\;"
# 9.7.9 data movement
e "mov.{b16,u16,s16,f16,bf16}$H2"; e "mov.{b32,u32,s32,f32,f16x2}$R2"; e "mov.{b64,u64,s64,f64}$D2"; e "mov.pred~%p1,{,!}%p2\;"; e "mov.b128~%q1,%q2\;"; e "mov.b128~%q1,\\{%d1,%d2\\}\;"; e "mov.b128~\\{%d1,%d2\\},%q1\;"
e "mov.b32~%r1,\\{%h1,%h2\\}\;"; e "mov.b32~\\{%h1,%h2\\},%r1\;"; e "mov.b64~%d1,\\{%r1,%r2\\}\;"; e "mov.b64~\\{%r1,_\\},%d1\;"; e "mov.b64~%d1,\\{%h1,%h2,%h3,%h4\\}\;"; e "mov.b64~\\{%h1,%h2,%h3,%h4\\},%d1\;"; e "mov.b32~%r1,\\{%b1,%b2,%b3,%b4\\}\;"; e "mov.b32~\\{%b1,%b2,%b3,%b4\\},%r1\;"; e "mov.b16~%h1,\\{%b1,%b2\\}\;"; e "mov.{u64,b64}~%d1,{g,s,c,l}\;"; e "mov.{u32,b32}~%r1,{s,l}\;"; e "mov.u64~%d1,g+8\;"; e "mov.u64~%d1,helper\;"; e "mov.u32~%r1,WARP_SZ\;"
e "shfl.sync.{up,down,bfly,idx}.b32~{%r1,%r1\|%p1}~,%r2,%r3,%r4,%r5\;"; e "shfl.sync.{up,down,bfly,idx}.b32~%r1,%r2,1,31,-1\;"
e "prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}$R4"
G={,.weak,.volatile}
for s in '' .global .shared .shared::cta .local .const; do case $s in .shared*) m=s ;; .local) m=l ;; .const) m=c ;; *) m=g ;; esac
[ -z "$s" ] && m=%d8
e "ld{,.weak,.volatile}$s.{b8,u8,s8,b16,u16,s16}~%h1,[$m+4]\;"; e "ld$s.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}~%r1,[$m]\;"; e "ld$s.{b8,u8,s8,u16,s16,u32,s32,b64,u64,s64,f64}~%d1,[$m]\;"
e "ld$s.v2.{b8,u8,s8,b16,u16,s16}~\\{%h1,%h2\\},[$m]\;"; e "ld$s.v2.{b32,u32,s32,f32}~\\{%r1,_\\},[$m]\;"; e "ld$s.v4.{b32,u32,s32,f32}~\\{%r1,%r2,%r3,%r4\\},[$m]\;"; e "ld$s.v2.{b64,u64,s64,f64}~\\{%d1,%d2\\},[$m]\;"; e "ld$s.b128~%q1,[$m]\;"
e "ld{.relaxed,.acquire}{.cta,.cluster,.gpu,.sys}$s.{u8,b16,s32,f32}~%r1,[$m]\;"; e "ld{.relaxed,.acquire}{.cta,.cluster,.gpu,.sys}$s.{b64,f64}~%d1,[$m]\;"; e "ld.mmio.relaxed.sys$s.{u32,f32}~%r1,[$m]\;"
e "ld$s{.ca,.cg,.cs,.lu,.cv}.{u32,f32}~%r1,[$m]\;"; e "ld$s{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate,.L2::64B,.L2::128B,.L2::256B}.u32~%r1,[$m]\;"; e "ld$s.L2::cache_hint.u32~%r1,[$m],%d2\;"; e "ld$s.volatile.u32~%r1,[$m]\;"; e "ld.volatile$s.v2.u32~\\{%r1,%r2\\},[$m]\;"
[ "$s" = .const ] && continue
e "st{,.weak,.volatile}$s.{b8,u8,s8,b16,u16,s16}~[$m+4],%h1\;"; e "st$s.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}~[$m],%r1\;"; e "st$s.{b8,u8,u16,u32,b64,u64,s64,f64}~[$m],%d1\;"; e "st$s.v2.{b8,u8,s8,b16,u16,s16}~[$m],\\{%h1,%h2\\}\;"; e "st$s.v2.{b32,f32}~[$m],\\{%r1,%r2\\}\;"; e "st$s.v4.{b32,u32,s32,f32}~[$m],\\{%r1,%r2,%r3,%r4\\}\;"; e "st$s.v2.{b64,f64}~[$m],\\{%d1,%d2\\}\;"; e "st$s.b128~[$m],%q1\;"
e "st{.relaxed,.release}{.cta,.cluster,.gpu,.sys}$s.{u8,b16,s32,f32}~[$m],%r1\;"; e "st{.relaxed,.release}{.cta,.cluster,.gpu,.sys}$s.{b64,f64}~[$m],%d1\;"; e "st.mmio.relaxed.sys$s.u32~[$m],%r1\;"; e "st$s{.wb,.cg,.cs,.wt}.u32~[$m],%r1\;"; e "st$s{.L1::evict_normal,.L1::evict_first,.L1::no_allocate}.u32~[$m],%r1\;"; e "st$s.L2::cache_hint.u32~[$m],%r1,%d2\;"; e "st$s.u32~[$m],7\;"; e "st$s.f32~[$m],0f3F800000\;"
for sem in '' .relaxed .acquire .release .acq_rel; do for sc in '' .cta .cluster .gpu .sys; do
e "atom$sem$sc$s.{and,or,xor}.b32~%r1,[$m],%r2\;"; e "atom$sem$sc$s.{and,or,xor,exch}.b64~%d1,[$m],%d2\;"; e "atom$sem$sc$s.exch.b32~%r1,[$m],%r2\;"; e "atom$sem$sc$s.cas.b32~%r1,[$m],%r2,%r3\;"; e "atom$sem$sc$s.cas.b16~%h1,[$m],%h2,%h3\;"; e "atom$sem$sc$s.cas.b64~%d1,[$m],%d2,%d3\;"; e "atom$sem$sc$s.{add,min,max}.{u32,s32}~%r1,[$m],%r2\;"; e "atom$sem$sc$s.{add,min,max}.{u64,s64}~%d1,[$m],%d2\;"; e "atom$sem$sc$s.{inc,dec}.u32~%r1,[$m],%r2\;"; e "atom$sem$sc$s.add.f32~%r1,[$m],%r2\;"; e "atom$sem$sc$s.add.f64~%d1,[$m],%d2\;"
e "red$sem$sc$s.{and,or,xor}.b32~[$m],%r2\;"; e "red$sem$sc$s.{and,or,xor}.b64~[$m],%d2\;"; e "red$sem$sc$s.{add,min,max}.{u32,s32}~[$m],%r2\;"; e "red$sem$sc$s.{add,min,max}.{u64,s64}~[$m],%d2\;"; e "red$sem$sc$s.{inc,dec}.u32~[$m],%r2\;"; e "red$sem$sc$s.add.f32~[$m],%r2\;"; e "red$sem$sc$s.add.f64~[$m],%d2\;"; done; done
e "atom$s.exch.b128~%q1,[$m],%q2\;"; e "atom$s.cas.b128~%q1,[$m],%q2,%q3\;"; e "atom$s.{add,min,max}{,.noftz}.{f16,bf16}~%h1,[$m],%h2\;"; e "atom$s.{add,min,max}{,.noftz}.{f16x2,bf16x2}~%r1,[$m],%r2\;"; e "red$s.{add,min,max}{,.noftz}.{f16,bf16}~[$m],%h2\;"; e "red$s.{add,min,max}{,.noftz}.{f16x2,bf16x2}~[$m],%r2\;"; e "atom$s.{add,exch}.u32~_,[$m],%r2\;"; e "atom$s.v2.f32.add~\\{%r1,%r2\\},[$m],\\{%r3,%r4\\}\;"; e "atom$s.add.v2.f32~\\{%r1,%r2\\},[$m],\\{%r3,%r4\\}\;"; e "red$s.add.v2.f32~[$m],\\{%r3,%r4\\}\;"; e "red$s.{add,min,max}{,.noftz}.v2.{f16x2,bf16x2}~[$m],\\{%r3,%r4\\}\;"; e "red$s.{add,min,max}{,.noftz}.v2.{f16,bf16}~[$m],\\{%h3,%h4\\}\;"; e "atom$s.L2::cache_hint.add.u32~%r1,[$m],%r2,%d2\;"; e "atom$s.add.L2::cache_hint.u32~%r1,[$m],%r2,%d2\;"
done
e "ld.global{,.ca,.cg,.cs}.nc{,.L1::evict_last,.L1::no_allocate,.L2::128B}.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}~%r1,[g]\;"; e "ld.global.nc.{b64,u64,s64,f64}~%d1,[g]\;"; e "ld.global.nc.v4.{f32,u32}~\\{%r1,%r2,%r3,%r4\\},[g]\;"; e "ld.global.nc.v2.{f32,u32}~\\{%r1,%r2\\},[g]\;"; e "ld.global.nc.b128~%q1,[g]\;"; e "ld.global{,.nc}.v8.{b32,f32}~\\{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8\\},[g]\;"; e "ld.global{,.nc}.v4.{b64,f64}~\\{%d1,%d2,%d3,%d4\\},[g]\;"
e "ldu.global.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}~%r1,[g]\;"; e "ldu.{u32,f32}~%r1,[%d8]\;"; e "ldu.global.v4.f32~\\{%r1,%r2,%r3,%r4\\},[g]\;"
e "prefetch{,.global,.local}.{L1,L2}~[%d8]\;"; e "prefetch.global.L2::{evict_last,evict_normal}~[g]\;"; e "prefetchu.L1~[%d8]\;"; e "prefetch{,.const,.param}.tensormap~[%d8]\;"; e "applypriority{,.global}.L2::evict_normal~[%d8],128\;"; e "discard{,.global}.L2~[%d8],128\;"
e "createpolicy.range{,.global}.L2::{evict_last,evict_normal,evict_first,evict_unchanged}{,.L2::evict_first,.L2::evict_unchanged}.b64~%d1,[%d8],%r1,%r2\;"; e "createpolicy.fractional.L2::{evict_last,evict_normal,evict_first,evict_unchanged}{,.L2::evict_first,.L2::evict_unchanged}.b64~%d1{,~,0f3F000000}\;"; e "createpolicy.cvt.L2.b64~%d1,%d2\;"
e "isspacep.{global,shared,shared::cta,shared::cluster,local,const,param,param::entry}~%p1,%d8\;"; e "cvta.{global,shared,shared::cta,local,const,param,param::entry}.u64~%d1,{%d2,g}\;"; e "cvta.to.{global,shared,shared::cta,shared::cluster,local,const,param}.u64~%d1,%d2\;"
for from in u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64; do case $from in *8|*16) a=%h2 ;; *32) a=%r2 ;; *) a=%d2 ;; esac
for to in u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64; do case $to in *8|*16) d=%h1 ;; *32) d=%r1 ;; *) d=%d1 ;; esac
e "cvt{,.rn,.rz,.rm,.rp,.rni,.rzi,.rmi,.rpi,.rna}{,.ftz}{,.sat,.relu,.satfinite}.$to.$from~$d,$a\;"; done; done
e "cvt{.rn,.rz,.rs}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32~%r1,%r2,%r3\;"; e "cvt.rs{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32~%r1,%r2,%r3,%r4\;"; e "cvt{.rn,.rz,.rna}{,.relu}{,.satfinite}.tf32.f32~%r1,%r2\;"; e "cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32~%h1,%r2,%r3\;"; e "cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.{f16x2,bf16x2}~%h1,%r2\;"; e "cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}~%r1,%h2\;"; e "cvt.rn.satfinite{,.relu}.{e2m3x2,e3m2x2}.f32~%h1,%r2,%r3\;"; e "cvt.rn{,.relu}.f16x2.{e2m3x2,e3m2x2}~%r1,%h2\;"; e "cvt.rn.satfinite{,.relu}.e2m1x2.f32~%b1,%r2,%r3\;"; e "cvt.{rz,rp}{,.satfinite}.ue8m0x2.f32~%h1,%r2,%r3\;"; e "cvt.rn.bf16x2.ue8m0x2~%r1,%h1\;"; e "cvt.{rn,rz}{,.relu}.{f16,bf16}.f32~%h1,%r2\;"
e "cvt.pack.sat.{u16,s16}.s32~%r1,%r2,%r3\;"; e "cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32~%r1,%r2,%r3,%r4\;"
e "mapa{,.shared::cluster}.{u32,u64}~{%r1,%d1},{%r2,%d2},%r3\;"; e "getctarank{,.shared::cluster}.{u32,u64}~%r1,{%r2,%d2}\;"
e "cp.async.ca.shared{,::cta}.global{,.L2::64B,.L2::128B,.L2::256B}~[s],[g],{4,8,16}\;"; e "cp.async.cg.shared{,::cta}.global{,.L2::128B}~[s],[g],16{,~,%r1}\;"; e "cp.async.ca.shared.global~[s],[g],4,%r1\;"; e "cp.async.{ca,cg}.shared.global~[s],[g],16,{,!}%p1\;"; e "cp.async.commit_group\;"; e "cp.async.wait_group~2\;"; e "cp.async.wait_all\;"; e "cp.async.mbarrier.arrive{,.noinc}{,.shared,.shared::cta}.b64~[s]\;"; e "cp.async.ca.shared.global.L2::cache_hint~[s],[g],4,%d2\;"
# 9.7.12, 9.7.13
e "bra{,.uni}~L\;"; e "{ret,exit,trap,brkpt}\;"; e "ret.uni\;"; e "@{,!}%p1~bra~L\;"; e "@%p1~add.s32~%r1,%r2,%r3\;"
e "{bar,barrier}{,.cta}.sync{,.aligned}~{0,%r1}{~,~,64~,~%r2}\;" ; for b in bar barrier bar.cta barrier.cta; do e "$b.{sync,arrive}{,.aligned}~{0,%r1},{64,%r2}\;"; e "$b.sync{,.aligned}~{0,%r1}\;"; e "$b.red.popc{,.aligned}.u32~%r3,{0,%r1},{,!}%p1\;"; e "$b.red.popc{,.aligned}.u32~%r3,{0,%r1},{64,%r2},{,!}%p1\;"; e "$b.red.{and,or}{,.aligned}.pred~%p2,{0,%r1},%p1\;"; e "$b.red.{and,or}{,.aligned}.pred~%p2,0,64,!%p1\;"; done; e "bar.warp.sync~{%r1,-1}\;"; e "barrier.cluster.arrive{,.release,.relaxed}{,.aligned}\;"; e "barrier.cluster.wait{,.acquire}{,.aligned}\;"
e "membar.{cta,gl,sys}\;"; e "fence{,.sc,.acq_rel,.acquire,.release}.{cta,cluster,gpu,sys}\;"; e "fence.mbarrier_init.release.cluster\;"; e "fence.proxy.{alias,async,async.global,async.shared::cta}\;"; e "membar.proxy.{alias,async}\;"
e "vote.sync.{all,any,uni}.pred~%p1,{,!}%p2,{%r1,-1}\;"; e "vote.sync.ballot.b32~%r1,{,!}%p2,%r2\;"; e "vote.{all,any,uni}.pred~%p1,%p2\;"; e "vote.ballot.b32~%r1,%p2\;"; e "match.any.sync.{b32,b64}~%r1,{%r2,%d2},%r3\;"; e "match.all.sync.{b32,b64}~%r1{~,\|%p1~},{%r2,%d2},%r3\;" ; e "match.all.sync.{b32,b64}~%r1\|%p1,{%r2,%d2},%r3\;"; e "match.all.sync.{b32,b64}~%r1,{%r2,%d2},%r3\;"; e "activemask.b32~%r1\;"; e "redux.sync.{add,min,max}.{u32,s32}~%r1,%r2,%r3\;"; e "redux.sync.{and,or,xor}.b32~%r1,%r2,%r3\;"; e "redux.sync.{min,max}{,.abs}{,.NaN}.f32~%r1,%r2,%r3\;"; e "elect.sync~{%r1,_}\|%p1,%r2\;"; e "griddepcontrol.{launch_dependents,wait}\;"
e "mbarrier.init{,.shared,.shared::cta}.b64~[s],%r1\;"; e "mbarrier.inval{,.shared}.b64~[s]\;"; e "mbarrier.{arrive,arrive_drop}{,.release,.relaxed}{,.cta,.cluster}{,.shared,.shared::cta}.b64~{%d1,_},[s]{~,~,%r1}\;"; for s in '' .shared .shared::cta; do e "mbarrier.{arrive,arrive_drop}{,.release,.relaxed}{,.cta,.cluster}$s.b64~{%d1,_},[s]\;"; e "mbarrier.{arrive,arrive_drop}{,.release,.relaxed}{,.cta,.cluster}$s.b64~{%d1,_},[s],%r1\;"; e "mbarrier.{arrive,arrive_drop}.noComplete{,.release}{,.cta}$s.b64~%d1,[s],%r1\;"; e "mbarrier.{arrive,arrive_drop}.expect_tx{,.release,.relaxed}{,.cta,.cluster}$s.b64~{%d1,_},[s],%r1\;"; e "mbarrier.{test_wait,try_wait}{,.acquire,.relaxed}{,.cta,.cluster}$s.b64~%p1,[s],%d1\;"; e "mbarrier.{test_wait,try_wait}.parity{,.acquire,.relaxed}{,.cta,.cluster}$s.b64~%p1,[s],%r1\;"; e "mbarrier.try_wait{,.acquire}{,.cta}$s.b64~%p1,[s],%d1,%r2\;"; e "mbarrier.{expect_tx,complete_tx}{,.relaxed}{,.cta}$s.b64~[s],%r1\;"; done; e "mbarrier.pending_count.b64~%r1,%d1\;"
# 9.7.18 video
sel={,.b0,.b1,.b2,.b3,.h0,.h1}
for op in vadd vsub vabsdiff vmin vmax; do e "$op.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}~%r1,%r2,%r3\;"; e "$op.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}.{add,min,max}~%r1,%r2,%r3,%r4\;"; e "$op.s32.u32.s32{,.sat}~%r1,%r2$sel,%r3$sel\;"; e "$op.u32.s32.u32{,.sat}~%r1$sel,%r2.b1,%r3.h0,%r4\;"; done
for op in vshl vshr; do for m in clamp wrap; do e "$op.{u32,s32}.{u32,s32}.u32{,.sat}.$m~%r1,%r2,%r3\;"; e "$op.{u32,s32}.{u32,s32}.u32{,.sat}.$m.{add,min,max}~%r1,%r2,%r3,%r4\;"; e "$op.u32.s32.u32.$m~%r1,%r2$sel,%r3$sel\;"; e "$op.u32.s32.u32.sat.$m~%r1$sel,%r2.b1,%r3.h0,%r4\;"; done; done
e "vmad.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15}~%r1,{,-}%r2,%r3,{,-}%r4\;"; e "vmad.{u32,s32}.{u32,s32}.{u32,s32}.po{,.sat}{,.shr7,.shr15}~%r1,%r2,%r3,%r4\;"; e "vmad.s32.s32.u32{,.sat}~%r1,%r2$sel,%r3$sel,%r4\;"
e "vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}~%r1,%r2,%r3\;"; e "vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}.{add,min,max}~%r1,%r2,%r3,%r4\;"; e "vset.u32.s32.lt~%r1,%r2$sel,%r3$sel\;"; e "vset.s32.u32.ge~%r1$sel,%r2.b3,%r3.h1,%r4\;"
for n in 2 4; do for op in vadd vsub vavrg vabsdiff vmin vmax; do e "$op$n.{u32,s32}.{u32,s32}.{u32,s32}{,.sat,.add}~%r1,%r2,%r3,%r4\;"; done; e "vset$n.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge}{,.add}~%r1,%r2,%r3,%r4\;"; done
e "vadd2.s32.s32.s32~%r1{,.h0,.h1,.h10},%r2{,.h10,.h01,.h13,.h32},%r3{,.h02,.h31},%r4\;"; e "vadd4.s32.u32.s32~%r1{,.b0,.b21,.b3210},%r2{,.b7654,.b0123},%r3{,.b3333},%r4\;"
# 9.7.19 and the rest
e "nanosleep.u32~{%r1,100}\;"; e "pmevent~1\;"; e "pmevent.mask~3\;"; e "setmaxnreg.{inc,dec}.sync.aligned.u32~64\;"; e "stacksave.{u32,u64}~{%r1,%d1}\;"; e "stackrestore.{u32,u64}~{%r1,%d1}\;"; e "alloca.{u32,u64}~{%r1,%d1},{%r2,%d2}{~,~,16}\;"; e "alloca.u64~%d1,%d2\;"; e "alloca.u64~%d1,%d2,16\;"
e "tanh.approx.f32$R2"; e "movmatrix.sync.aligned.m8n8.trans.b16$R2"
e "ldmatrix.sync.aligned.m8n8.x1{,.trans}.shared{,::cta}.b16~%r1,[s]\;"; e "ldmatrix.sync.aligned.m8n8.x1{,.trans}.shared{,::cta}.b16~\\{%r1\\},[s]\;"; e "ldmatrix.sync.aligned.m8n8.x2{,.trans}{,.shared}.b16~\\{%r1,%r2\\},[s]\;"; e "ldmatrix.sync.aligned.m8n8.x4{,.trans}{,.shared}.b16~\\{%r1,%r2,%r3,%r4\\},[s]\;"; e "stmatrix.sync.aligned.m8n8.x1{,.trans}.shared{,::cta}.b16~[s],\\{%r1\\}\;"; e "stmatrix.sync.aligned.m8n8.x2{,.trans}{,.shared}.b16~[s],\\{%r1,%r2\\}\;"; e "stmatrix.sync.aligned.m8n8.x4{,.trans}{,.shared}.b16~[s],\\{%r1,%r2,%r3,%r4\\}\;"
