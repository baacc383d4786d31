# expect: refused
# A name that leads out of the folder it is unpacked to.
{ answer | entry ../../../canary; answer | entry vector_add.cu; end; } >"$to/s001_$lab.tar"
