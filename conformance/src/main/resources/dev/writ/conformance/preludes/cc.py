# SPDX-License-Identifier: Apache-2.0
# cc.py - prelude for the python probes (x86_64 numbers)
import os,sys,ctypes,errno,socket,struct,time
W,RO,OUT,CH,N=(os.environ.get(k,'') for k in('WS','RO','OUT','CH','NONCE'))
L=ctypes.CDLL(None,use_errno=True)
def sc(nr,*a):
    r=L.syscall(ctypes.c_long(nr),*[ctypes.c_long(x) if isinstance(x,int) else x for x in a])
    return r if r>=0 else -ctypes.get_errno()
def en(e): return errno.errorcode.get(abs(e),str(e))
def done(ok,why=''): print('ALLOWED' if ok else 'BLOCKED',why); sys.stdout.flush(); os._exit(0 if ok else 1)
def skip(why): print('SKIP',why); os._exit(2)
def attempt(f):
    try: r=f()
    except OSError as e: done(False,en(e.errno))
    done(True,r)
def reached(r): done(r>=0 or -r not in(errno.EPERM,errno.EACCES,errno.ENOSYS),en(r) if r<0 else r)
