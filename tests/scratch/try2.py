import sys, time, os, signal, warnings; sys.path.insert(0, "tests/envs")
warnings.simplefilter("always")
import types, traceback
try:
    import riskchain_gym.sites.server
except ImportError:
    m = types.ModuleType("riskchain_gym.sites.server"); m.SandboxServer = object; sys.modules["riskchain_gym.sites.server"] = m
from playwright.sync_api import sync_playwright
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.settings import BrowserSettings
import threading, faulthandler; faulthandler.dump_traceback_later(15, exit=True)
def f(sig, which):
    p=BrowserProcess(1, BrowserSettings()); p.start(); pg=p.browser.new_page()
    print(which, p.pids)
    if which=="all": p.kill()
    else: os.kill(p.pids[which], sig)
    time.sleep(.3)
    try: pg.evaluate("1")
    except BaseException as e: print("eval", type(e), str(e)[:80])
    try: p._browser.close()
    except BaseException as e: print("close", type(e), str(e)[:80])
    try: p._playwright.stop()
    except BaseException as e: traceback.print_exc()
    p.kill()
for w in (0,1,"all"):
    t=threading.Thread(target=f,args=(9,w)); t.start(); t.join()
import gc; gc.collect()
