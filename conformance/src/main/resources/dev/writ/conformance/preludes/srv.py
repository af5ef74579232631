# SPDX-License-Identifier: Apache-2.0
# srv.py - prelude of the groups M and N: the product as programs and people meet it
import fcntl,json,os,pty,re,select,socket,struct,subprocess,sys,termios,threading,time
import ada
from ada import _ask,broken,good,parallel
PRODUCT=json.loads(os.environ['PRODUCT'])
H,OUT,NONCE=(os.environ[n] for n in('HARNESS','OUT','NONCE'))
W,STATE,TOOLS=H+'/work',H+'/state',H+'/tools'
SOCK,SECRET=STATE+'/api.sock','secret-'+NONCE
READS=['read:/**','write:.','shell:*','device:/dev/null']
ENV=dict(os.environ,WRIT_HOME=STATE,HOME=H+'/home',TERM='xterm')
_started,_asked,_terminals=[],set(),[]
for d in(W,TOOLS,H+'/home'): os.makedirs(d,exist_ok=True)

def tool(name,does='echo ran; : > "%s/ran-$1"'%W):
    put(TOOLS+'/'+name,'#!/bin/sh\n'+does+'\n',0o755); return TOOLS+'/'+name
def put(path,text,mode=0o644):
    os.makedirs(os.path.dirname(path),exist_ok=True)
    with open(path,'w') as f: f.write(text)
    os.chmod(path,mode); return path
def ran(word): return os.path.exists(W+'/ran-'+word)
def until(what,seconds=15):
    end=time.monotonic()+seconds
    while time.monotonic()<end:
        x=what()
        if x: return x
        time.sleep(.03)
    return what()
def bad(x,seen=''):
    for p in _started: p.terminate()
    for p in _started:
        try: p.wait(10)
        except subprocess.TimeoutExpired: p.kill()
    ada.bad(x,' | '.join([seen]+[repr(t.seen[-1500:]) for t in _terminals]))
def skip(why): print('SKIP',why); sys.stdout.flush(); os._exit(0)

def raw(data,at=SOCK,timeout=20):
    s=socket.socket(socket.AF_UNIX if isinstance(at,str) else socket.AF_INET); got=b''
    with s:
        s.connect(at if isinstance(at,str) else('127.0.0.1',at)); s.settimeout(timeout) # not before: who waits for room is no error
        try: s.sendall(data)
        except OSError: pass # told before it was heard out
        try:
            while True:
                some=s.recv(1<<16)
                if not some: return got
                got+=some
        except OSError: return got
def http(method,path,body=None,at=SOCK,headers={},**more):
    h={'Host':'localhost' if isinstance(at,str) else '127.0.0.1:%d'%at,'Connection':'close'}
    body=b'' if body is None else body if isinstance(body,bytes) else json.dumps(body).encode()
    if body: h['Content-Type']='application/json'
    if body or method!='GET': h['Content-Length']=str(len(body))
    h.update(headers)
    head='%s %s HTTP/1.1\r\n'%(method,path)+''.join('%s: %s\r\n'%i for i in h.items() if i[1] is not None)
    head,_,rest=raw(head.encode('latin-1')+b'\r\n'+body,at,**more).partition(b'\r\n\r\n')
    if not head: return 0,''
    if b'chunked' in head.lower():
        whole=b''
        while rest:
            size,_,rest=rest.partition(b'\r\n'); n=int(size or b'0',16)
            if not n: break
            whole+=rest[:n]; rest=rest[n+2:]
        rest=whole
    return int(head.split()[1]),rest.decode('utf-8','surrogateescape')
def bearer(): return {'Authorization':'Bearer '+open(info()['token_file']).read().strip()}
def info(): return json.loads(http('GET','/v1/info')[1])
def port(): return int(info()['tcp'].rsplit(':',1)[1])
def other(code):
    # A program of another user: what it prints; nothing if only root could try.
    return _ask('other',code)

def up(home=STATE,**more):
    with open(H+'/log','ab') as log:
        p=subprocess.Popen(PRODUCT+['up','--foreground','--tcp','0'],cwd=W,env=dict(ENV,WRIT_HOME=home,**more),stdin=subprocess.DEVNULL,stdout=log,stderr=log)
    _started.append(p)
    def answers():
        try: return p.poll() is not None or http('GET','/v1/health',at=home+'/api.sock',timeout=2)[0]==200
        except OSError: return False
    return p if until(answers,30) and p.poll() is None else None
def cli(*words,cwd=W,**more):
    p=subprocess.run(PRODUCT+list(words),cwd=cwd,env=dict(ENV,**more),stdin=subprocess.DEVNULL,stdout=subprocess.PIPE,stderr=subprocess.STDOUT,timeout=30)
    return p.returncode,p.stdout.decode('utf-8','replace')
def sandbox(allow=READS,work=W,more={},**rules):
    status,text=opened(dict(rules,version=1,allow=allow),work,more); good(status==201,text); return json.loads(text)['id']
def opened(policy,work=W,more={}): return http('POST','/v1/sandboxes',dict({'workspace':work,'policy':policy},**more))

class Job:
    def __init__(self,box,argv,fields):
        fields=dict(fields,**({'shell':argv} if isinstance(argv,str) else {'argv':argv}))
        self.answer=None
        self.thread=threading.Thread(target=self.run,args=(box,fields),daemon=True); self.thread.start()
    def run(self,box,fields): self.answer=http('POST','/v1/sandboxes/%s/exec'%box,fields,timeout=60)
    def over(self): return not self.thread.is_alive()
    def lines(self):
        self.thread.join(40); good(self.answer,'the command never ended')
        return [json.loads(l) for l in self.answer[1].splitlines() if l.startswith('{')]
    def out(self): return ''.join(l.get('text','') for l in self.lines() if l.get('t')=='stdout')
def run(box,argv,**fields): return Job(box,argv,fields).out()
def questions(): return json.loads(http('GET','/v1/approvals')[1])['approvals']
def request(box,argv,**fields):
    # A command, and what is asked about it; nothing if it came to an end without a question.
    job=Job(box,argv,fields)
    def asked(): return [q for q in questions() if q['id'] not in _asked and q['sandbox']==box] or job.over()
    found=until(asked)
    if found is True or not found: return job,None
    _asked.add(found[-1]['id']); return job,found[-1]
def settle(job,box,reply):
    # Answers whatever it asks until it is over.
    def more():
        for q in questions():
            if q['sandbox']==box: reply(q)
        return job.over()
    until(more,20); return job.out()
def answer(q,decision='approve',scope='once',digest=None):
    body={'decision':decision,'scope':scope,'digest':digest or q['digest']}
    return http('POST','/v1/approvals/'+q['id'],body,headers={'writ-approver':open(STATE+'/approver').read().strip()})[0]

class Terminal:
    # `run` at a terminal, and a person in front of it.
    def __init__(self,argv,policy,rows=50,columns=200):
        put(H+'/policy.yaml',policy); self.seen=b''; _terminals.append(self)
        self.pid,self.fd=pty.fork()
        if not self.pid:
            put(H+'/terminal',os.ttyname(0)); os.chdir(W); os.execvpe(PRODUCT[0],PRODUCT+['run','--policy',H+'/policy.yaml','--']+argv,ENV)
        fcntl.ioctl(self.fd,termios.TIOCSWINSZ,struct.pack('4H',rows,columns,0,0))
    def look(self,seconds=.1):
        while select.select([self.fd],[],[],seconds)[0]:
            try: some=os.read(self.fd,1<<16)
            except OSError: return False
            self.seen+=some
            for _ in range(some.count(b'\x1b[6n')): os.write(self.fd,b'\x1b[1;1R')
        return True
    def asks(self,times=1):
        # Waits until it takes an answer.
        ready=lambda:len(re.findall(rb'alone is no:|shows them, then|below: space',self.seen))>=times
        until(lambda:not self.look() or ready(),20); good(ready(),'no question: '+repr(self.seen[-500:])); return self
    def type(self,keys): os.write(self.fd,keys.encode()); return self
    def end(self):
        until(lambda:not self.look(),10); os.close(self.fd); os.waitpid(self.pid,0)
        return self.text()
    def text(self): return self.seen.decode('utf-8','replace')
POLICY=json.dumps({'version':1,'allow':READS,'ask':['exec:%s/*'%TOOLS]})
def strings(x): return [x] if isinstance(x,str) else [s for i in(x.values() if isinstance(x,dict) else x if isinstance(x,list) else()) for s in strings(i)]
def render(argv,visible,principal=''):
    # What a person sees of it: in the API and so in the console, in the list, at the terminal.
    _started or up(); box=sandbox(ask=['exec:%s/*'%TOOLS],more={'labels':{'principal':principal}})
    job,q=request(box,argv); good(q,'no question')
    views=['\n'.join(strings(q)),cli('approvals')[1]]
    answer(q,'refuse'); job.out()
    t=Terminal(argv,POLICY).asks(); t.type('\r'); views.append(t.end())
    for v in views: good(visible in v,'`%s` is not shown: %r'%(visible,v[:3000]))
    return views
