# SPDX-License-Identifier: Apache-2.0
# ccp.py - prelude for the proxy cases: what a program says to a proxy, or past it
import base64,os,re,socket,struct,sys,time,urllib.parse
E=os.environ; N=E['NONCE']; NB=N.encode()
HTTP,TLS,EVIL,DNS,CONTROL=(int(E[k]) for k in('HTTP','TLS','EVIL','DNS','CONTROL'))
INSIDE='INSIDE' in E # there is a way out without being told of a proxy
_p=urllib.parse.urlsplit(E['PROXY']); _held=[]
def _read(s,enough=(b'\r\n',b'hello back')):
    got=b''
    try:
        s.settimeout(3)
        while len(got)<65536:
            part=s.recv(65536)
            if not part: break
            got+=part
            if any(e in got for e in enough): s.settimeout(.3)
    except OSError: pass
    return got
def _proxy(): return socket.create_connection((_p.hostname,_p.port),5)
def _said(s,data):
    try: s.sendall(data)
    except OSError: pass
def raw(data,auth=True,all=False):
    line,end,rest=data.partition(b'\n')
    token=base64.b64encode(('%s:%s'%(_p.username,_p.password)).encode())
    known=b'Proxy-Authorization: Basic '+token+b'\r\n' if auth else b''
    with _proxy() as s:
        _said(s,line+end+known+rest); got=_read(s)
        if data.startswith(b'CONNECT') and is2xx(got): _said(s,NB); _read(s)
    return got if all else got.split(b'\r\n')[0]
def connect(host,port):
    s=_proxy(); token=base64.b64encode(('%s:%s'%(_p.username,_p.password)).encode())
    _said(s,b'CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\nProxy-Authorization: Basic %s\r\n\r\n'%(host,port,host,port,token))
    got=_read(s,[b'\r\n\r\n'])
    if not is2xx(got): s.close(); return None
    return s
def tunnel(host,port,*parts):
    s=connect(host,port)
    if not s: return b'no tunnel'
    with s: return _parts(s,parts)
def _parts(s,parts):
    for part in parts: _said(s,part); time.sleep(.02)
    return _read(s)
def _socks(s,name,port,command=1):
    s.settimeout(5); s.sendall(b'\5\2\0\2'); chosen=s.recv(2)
    if chosen==b'\5\2':
        u,p=_p.username.encode(),_p.password.encode()
        s.sendall(b'\1'+bytes([len(u)])+u+bytes([len(p)])+p)
        if s.recv(2)!=b'\1\0': return b'SOCKS unknown'
    elif chosen!=b'\5\0': return b'SOCKS refused'
    s.sendall(b'\5'+bytes([command])+b'\0\3'+bytes([len(name)])+name+struct.pack('>H',port))
    got=s.recv(64)
    return b'SOCKS %d'%got[1] if len(got)>1 else b'SOCKS closed'
def socks(name,port,command=1,then=None):
    with _proxy() as s:
        try: got=_socks(s,name,port,command)
        except OSError as e: return str(e).encode()
        if got==b'SOCKS 0':
            _said(s,then or NB); answer=_read(s)
            return answer if then else got
        return got
def sockscmd(command): return socks(b'allowed.test',HTTP,command)
def socks4(address,name,port):
    with _proxy() as s:
        _said(s,b'\4\1'+struct.pack('>H',port)+address+b'me\0'+(name+b'\0' if name else b'')); got=_read(s,[b'\0'])
        if got[:2]==b'\0Z': _said(s,NB); _read(s); return b'SOCKS 0'
        return b'SOCKS4 refused'
def way(host,port): # by name, without being told of a proxy; outside of a sandbox through the naive one
    if INSIDE: return socket.create_connection((host.decode(),port),5)
    s=_proxy(); _socks(s,host,port); return s
def said(host,port,*parts):
    try:
        with way(host,port) as s: return _parts(s,parts)
    except OSError as e: return str(e).encode()
def direct():
    got=b'closed'
    for family,to in((socket.AF_INET,('127.0.0.1',EVIL)),(socket.AF_INET6,('::1',EVIL,0,0)),(socket.AF_INET6,('::ffff:127.0.0.1',EVIL,0,0))):
        try:
            s=socket.socket(family,socket.SOCK_STREAM); s.settimeout(5); s.connect(to); s.sendall(NB); _read(s); got=b'SOCKS 0'
        except OSError as e: print(e)
    return got
def killproxy():
    with socket.create_connection(('127.0.0.1',CONTROL),5) as s: s.sendall(b'end\n'); s.recv(9)
def flood(n):
    for _ in range(n):
        s=_proxy(); s.sendall(b'CONN'); _held.append(s)
def is2xx(got): return bool(re.match(rb'HTTP/1\.\d 2\d\d',got))
def check(got):
    print('ANSWER',got.decode('latin-1')); sys.stdout.flush()
    if is2xx(got) or got==b'SOCKS 0': print('ALLOWED'); sys.stdout.flush()
def sni(name): return struct.pack('>HHHBH',0,len(name)+5,len(name)+3,0,len(name))+name
def hello(*extensions): # the first message of TLS, the nonce in its random bytes, as one record
    e=b''.join(extensions)
    b=b'\3\3'+(NB+b'\0'*32)[:32]+b'\0'+b'\0\2\x13\1'+b'\1\0'+struct.pack('>H',len(e))+e
    m=b'\1'+len(b).to_bytes(3,'big')+b
    return b'\x16\3\1'+struct.pack('>H',len(m))+m
def records(record,size): # the same message in many records
    m=record[5:]
    return [b'\x16\3\1'+struct.pack('>H',len(m[i:i+size]))+m[i:i+size] for i in range(0,len(m),size)]
def question(name,kind=1):
    labels=b''.join(bytes([len(l)])+l for l in name.split(b'.'))
    return b'\x07\x07\1\0\0\1\0\0\0\0\0\0'+labels+b'\0'+struct.pack('>HH',kind,1)
def ask(name,kind=1): # whoever answers for names; outside of a sandbox only the canary
    answers=[]
    for server in [('127.0.0.1',DNS)]+([('127.0.0.1',53),('127.0.0.53',53),('192.0.2.53',53)] if INSIDE else []):
        try:
            with socket.socket(socket.AF_INET,socket.SOCK_DGRAM) as s:
                s.settimeout(1); s.connect(server); s.send(question(name,kind)); answers.append(s.recv(4096))
        except OSError as e: print(server,e)
    return answers
def found(answers): return any(a[6:8]!=b'\0\0' and not a[3]&15 for a in answers)
