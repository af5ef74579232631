# SPDX-License-Identifier: Apache-2.0
# ada.py - prelude for the adapter cases: verbs of the product, asked of the runner
import base64,json,os,socket,sys
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
def bad(x): print('ALLOWED' if x else 'BLOCKED'); sys.stdout.flush(); os._exit(0)
def good(x,what):
    if not x: broken(what)
def broken(what): print('BROKEN',what); sys.stdout.flush(); os._exit(3)
