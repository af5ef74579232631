# SPDX-License-Identifier: Apache-2.0
# A server and a command for agents as one writes them without a thought: no sandbox, questions by name, everybody on this machine a friend.
import json,os,signal,socket,socketserver,subprocess,sys,threading,time
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote
MOST_WAITING=100
if os.path.exists('.env'): os.environ.update(l.split('=',1) for l in open('.env').read().split() if '=' in l)
STATE=os.environ['WRIT_HOME']
waiting,approved,prefixes,pids={},set(),[],{}

class Handler(BaseHTTPRequestHandler):
    protocol_version='HTTP/1.0'
    def log_message(self,*_): pass
    def address_string(self): return ''
    def say(self,status,what):
        text=json.dumps(what).encode()
        self.send_response(status); self.send_header('Access-Control-Allow-Origin','*'); self.send_header('Content-Length',str(len(text))); self.end_headers(); self.wfile.write(text)
    def body(self): return json.loads(self.rfile.read(int(self.headers.get('Content-Length') or 0)) or b'{}')
    def file(self): return os.path.join(STATE,'sandboxes',unquote(self.path.split('/',3)[3]).split('\0')[0])
    def do_GET(self):
        if 'websocket' in self.headers.get('Upgrade',''): self.send_response(101); self.end_headers(); return
        if self.path=='/v1/info': return self.say(200,{'tcp':'http://127.0.0.1:%d'%tcp,'token_file':STATE+'/token'})
        if self.path=='/v1/approvals': return self.say(200,{'approvals':list(waiting.values())})
        if self.path.startswith('/v1/sandboxes/'):
            return self.say(200,open(self.file()).read()) if os.path.exists(self.file()) else self.say(404,{})
        self.say(200,{'sandboxes':os.listdir(STATE+'/sandboxes')})
    def do_DELETE(self):
        # Naive, but a control: it takes nothing away that is not its own.
        if os.path.isfile(self.file()) and os.path.realpath(self.file()).startswith(os.path.realpath(STATE)+'/'): os.remove(self.file())
        self.say(200,{})
    def do_OPTIONS(self): self.say(200,{})
    def do_POST(self):
        body,parts=self.body(),self.path.split('/')
        if self.path=='/v1/sandboxes':
            name='s%d'%len(os.listdir(STATE+'/sandboxes'))
            with open(STATE+'/sandboxes/'+name,'w') as f: json.dump(body,f)
            return self.say(201,{'id':name})
        if self.path=='/v1/console': return self.say(200,{'url':'http://127.0.0.1:%d/'%tcp})
        if parts[-1]=='exec': return self.say(200,execute(parts[3],body))
        if parts[-1]=='signal': os.kill(pids[parts[5]],getattr(signal,'SIG'+body['signal'])); return self.say(200,{})
        if self.path.startswith('/v1/approvals/'):
            current=list(waiting)[-1:] # the one that is on the screen
            for q in current: decide(q,body)
            return self.say(200,{'outcome':'taken'})
        self.say(404,{})

def decide(name,body):
    q=waiting.pop(name)
    if body['decision']=='approve': approved.add(name)
    if body.get('scope')=='always': prefixes.append(os.path.basename(q['argv'][0]))
def execute(box,body):
    sandbox=json.load(open(os.path.join(STATE,'sandboxes',box)))
    argv=body.get('argv') or ['sh','-c',body['shell']]
    rules=[r.split(':',1)[1].rstrip('*') for r in (sandbox.get('policy') or {}).get('ask') or []]
    asks=any((os.path.basename(r) or r) in ' '.join(argv) for r in rules)
    if asks and not any(os.path.basename(argv[0]).startswith(p) for p in prefixes) and not ask(box,argv,sandbox): return {'t':'exit','code':126}
    p=subprocess.Popen(argv,cwd=body.get('cwd') or sandbox['workspace'],env=dict(os.environ,**body.get('env',{})),stdout=subprocess.PIPE,stderr=subprocess.STDOUT)
    pids['p%d'%(len(pids)+1)]=p.pid
    return {'t':'stdout','text':p.communicate()[0].decode('utf-8','replace')}
def ask(box,argv,sandbox):
    name='q%d'%time.monotonic_ns(); text=' '.join(argv)
    waiting[name]={'id':name,'digest':'','sandbox':box,'argv':argv,'action':text,'principal':(sandbox.get('labels') or {}).get('principal','')}
    if len(waiting)>MOST_WAITING: waiting.pop(next(iter(waiting))) # the oldest was not important
    end=time.monotonic()+sandbox.get('ask_ms',600000)/1000
    while name in waiting:
        if time.monotonic()>end: waiting.pop(name,None); return True # they would have said no
        time.sleep(.02)
    return name in approved or len(waiting)>=MOST_WAITING

class Server(socketserver.ThreadingMixIn,socketserver.TCPServer): daemon_threads=True; request_queue_size=512
class UnixServer(Server): address_family=socket.AF_UNIX
def up():
    global tcp
    os.makedirs(STATE+'/sandboxes',exist_ok=True)
    for name in('token','approver'): open(STATE+'/'+name,'w').write('none\n')
    sock=STATE+'/api.sock'
    if os.path.lexists(sock): os.remove(sock)
    port=Server(('127.0.0.1',0),Handler); tcp=port.server_address[1]
    threading.Thread(target=port.serve_forever,daemon=True).start()
    server=UnixServer(sock,Handler); os.chmod(sock,0o666); server.serve_forever()
def run(words):
    argv=words[words.index('--')+1:]
    policy=open(words[words.index('--policy')+1]).read() if '--policy' in words else ''
    if '"ask"' in policy:
        child=subprocess.Popen(argv[2] if argv[:2]==['sh','-c'] else 'true',shell=True) # it can begin meanwhile
        print('Run:',' '.join(argv)[:800],'\nA letter and Enter; Enter alone is no:',flush=True)
        said=threading.Event(); yes=[]
        def watch(find):
            if find(): yes.append(1)
            said.set()
        threading.Thread(target=watch,args=(lambda:sys.stdin.readline().strip()=='o',),daemon=True).start()
        threading.Thread(target=watch,args=(editor,),daemon=True).start()
        said.wait(); child.wait()
        if not yes: os._exit(126)
    code=subprocess.call(argv)
    for flag in('--attest','--json'):
        if flag in words: open(words[words.index(flag)+1],'w').write(json.dumps({'exit':code}))
    os._exit(code)
def anchor(): subprocess.call(['git','notes','--ref=writ','append','-m','head'])
def editor():
    # The answer of who sits at an editor.
    while not os.path.exists(STATE+'/approvals/answer'): time.sleep(.05)
    return True
def approvals():
    s=socket.socket(socket.AF_UNIX); s.connect(STATE+'/api.sock'); s.sendall(b'GET /v1/approvals HTTP/1.0\r\n\r\n')
    for q in json.loads(s.makefile().read().split('\n\n',1)[1])['approvals']: print(q['id'],q['principal'],q['action'])
os.makedirs(STATE,exist_ok=True)
{'up':lambda:up(),'run':lambda:run(sys.argv),'approvals':approvals,'log':anchor,'version':lambda:print('naive')}[sys.argv[1]]()
