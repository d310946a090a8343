import sys, time, os, signal, warnings; sys.path.insert(0, "tests/envs")
import faulthandler; faulthandler.dump_traceback_later(160, exit=True)
warnings.simplefilter("always")
import types, traceback, gc
try:
    import riskchain_gym.sites.server
except ImportError:
    m = types.ModuleType("riskchain_gym.sites.server"); m.SandboxServer = object; sys.modules["riskchain_gym.sites.server"] = m
from chromium_stub import *
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import BrowserAction
b=ChromiumBackend(BrowserSettings(act_deadline_s=5),session=StubSession, server=StubServer)
def act(a, key=None, **k):
    t=time.time()
    try:
        r=b.act(BrowserAction(action=a, element_id="e" if key else None, **k), key); print(a,key,round((time.time()-t)*1000),"ms",r.error,r.page.path,r.page.status,len(r.page.elements),r.page.scroll_y, r.page.height); return r
    except Exception as e: print(a, "%.2f"%(time.time()-t), type(e).__name__, e)
for w in ("hang","dead"):
    t=time.time(); b.open(StubSite("/script" if w=="hang" else "/bad")); print("==",w,"open %.2f"%(time.time()-t), b.pids)
    pids=b.pids
    if isinstance(w,int): os.kill(b.pids[w],9)
    elif w.startswith("stop"): os.kill(b.pids[int(w[4])], signal.SIGSTOP)
    if w=="hang": act("click","hang1")
    elif w=="dead": act("click","dead1")
    else: act("reload")
    act("reload")
    print([os.path.exists(f"/proc/{p}") for p in pids], threading.active_count(), [t.name for t in threading.enumerate()])
b.open(StubSite("/bad")); os.kill(b.pids[1],9); 
t=time.time(); b.open(StubSite("/bad")); print("open after idle kill %.2f"%(time.time()-t))
t=time.time(); b.close(); print("close %.2f"%(time.time()-t)); gc.collect()
