# SPDX-License-Identifier: Apache-2.0
# ada.py - prelude for the adapter cases: verbs of the product, asked of the runner
import base64,json,os,socket,sys,threading
_lock=threading.Lock()
_s=socket.socket(socket.AF_UNIX); _s.connect(os.environ['VERBS']); _f=_s.makefile('rwb')
def _ask(verb,*words):
    words=[base64.b64encode(w if isinstance(w,bytes) else w.encode()).decode() for w in words]
    _f.write(json.dumps({'verb':verb,'words':words}).encode()+b'\n'); _f.flush()
    answer=json.loads(_f.readline())
    if 'failure' in answer: broken(answer['failure'])
    return answer['answer']
def _bytes(verb,*words): return base64.b64decode(_ask(verb,*words))
def audit_write(*words): _ask('write',*words)
def audit_raw(): return _bytes('raw')
def audit_ordered(): return _bytes('ordered')
def audit_put(lines): _ask('put',lines)
def audit_forge(lines): _ask('forge',lines)
def audit_wrong(): return _ask('wrong')
def audit_verify(): return audit_wrong() is None
def audit_path(): return _ask('path')
def audit_next(): return _ask('next')
def audit_rotate(): _ask('rotate')
def audit_programs(): return _ask('programs')
def in_sandbox(command): return _bytes('run',command)
def made_in_sandbox(name): return _ask('made',name)
def fill_log_volume(): _ask('fill')
def set_fake_time(seconds): _ask('jump',str(seconds))
T0=0
def _bound(**b): return json.dumps({k:str(v) for k,v in b.items() if v})
def mint(caps,ttl,aud=None,session=None,once=False): return _ask('mint',json.dumps(caps),str(ttl),_bound(audience=aud,session=session,once=once))
def attenuate(token,caps,ttl=30): return _ask('attenuate',token,json.dumps(caps),str(ttl))
def delegate(token,caps): return _ask('delegate',token,json.dumps(caps))
def verify(token,request,now=T0,session=None,aud=None):
    with _lock: return _ask('verify',token,request.encode('utf-8','surrogatepass'),str(now),_bound(audience=aud,session=session))
def revoke(token): _ask('revoke',token)
def stripped(token,caps): return _ask('stripped',token,json.dumps(caps))
def drop_last(token): return _ask('shortened',token)
def flips(token):
    # Bytes of a token that is text in base64url; any other is changed as it is.
    try: raw=bytearray(base64.urlsafe_b64decode(token+'='*(-len(token)%4))); encode=lambda r: base64.urlsafe_b64encode(bytes(r)).decode().rstrip('=')
    except ValueError: raw=bytearray(token.encode()); encode=lambda r: bytes(r).decode('latin-1')
    for i in range(len(raw)):
        raw[i]^=1<<(i%8); yield encode(raw); raw[i]^=1<<(i%8)
def parallel(n,f):
    got=[]; threads=[threading.Thread(target=lambda:got.append(f())) for _ in range(n)]
    for t in threads: t.start()
    for t in threads: t.join()
    return got
def in_sandbox_out(command,token): return _ask('run',command,token)
def bad(x,seen=''):
    # Where in the script, and what it saw: an escape that comes once has to say enough.
    frame=sys._getframe(1)
    while frame.f_globals.get('__name__')!='__main__': frame=frame.f_back
    print('ALLOWED at line %d of the probe %s'%(frame.f_lineno,seen) if x else 'BLOCKED'); sys.stdout.flush(); os._exit(0)
def good(x,what):
    if not x: broken(what)
def broken(what): print('BROKEN',what); sys.stdout.flush(); os._exit(3)
