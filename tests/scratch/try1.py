import sys, time; sys.path.insert(0, "tests/envs")
import types
try:
    import riskchain_gym.sites.server
except ImportError:
    m = types.ModuleType("riskchain_gym.sites.server"); m.SandboxServer = object; sys.modules["riskchain_gym.sites.server"] = m
from chromium_stub import *
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.protocol.action import BrowserAction
srv=[]
def mk(): s=StubServer(); srv.append(s); return s
b=ChromiumBackend(session=StubSession, server=mk)
t=time.time(); p=b.open(StubSite()); print("open", time.time()-t); print(p)
def act(a, key=None, **k):
    t=time.time()
    r=b.act(BrowserAction(action=a, element_id="e" if key else None, **k), key); print(a,key,round((time.time()-t)*1000),"ms",r.error,r.page.path,r.page.status,len(r.page.elements),r.page.scroll_y, r.page.height); return r
r=act("click","totext"); print([l.text for l in r.page.lines]); print(b.axtree({"link1":"e5"}))
r=act("back"); r=act("back")
r=act("click","toform"); print(*r.page.elements,sep="\n"); 
act("fill","name1");act("fill","num1");act("fill","range1");act("fill","area1");act("select","sel1");act("check","box1");r=act("check","box1"); print(*r.page.elements,sep="\n")
print(b.axtree({e.key:e.key for e in r.page.elements}))
r=act("submit","form1"); print([l.text for l in r.page.lines]); act("reload"); act("back")
r=act("click","send1"); print([l.text for l in r.page.lines])
r=act("click","home"); act("click","tolong"); act("scroll_down"); act("scroll_down"); act("scroll_up"); act("click","deep"); act("back"); act("back")
act("click","tomissing"); act("back"); 
act("click","tobad")
for k in "file1 js1 data1 chrome1 vs1 other1 tab1 dl1 nothing1 jssend off1 under1 redir1 out1".split(): act("click",k)
act("submit","jsform")
print(b.screenshot().shape)
b._session.site
p=b.open(StubSite("/script"))
for k in "alert1 popup1 leave1 elsewhere1".split(): act("click",k)
act("click","hide1"); act("click","victim"); act("click","remove1"); act("click","victim")
p=b.open(StubSite("/bad"))
try: act("click","dead1")
except Exception as e: print(repr(e))
print(srv[-1].paths())
t=time.time(); b.close(); print("close", time.time()-t); b.close()
