import time, statistics as st, sys
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.build import build_site
site,g=build_site("points-hall",key_from_seed(0),"1")
for m in (frozenset(), frozenset({"screenshot"}), frozenset({"screenshot","axtree"})):
    b=ChromiumBackend(modalities=m)
    t=time.perf_counter(); p=b.open(site); first=time.perf_counter()-t
    def obs(r):
        if "screenshot" in m: b.screenshot()
        if "axtree" in m: b.axtree({e.key:"e" for e in r.elements})
    o=[]
    for _ in range(12):
        t=time.perf_counter(); p=b.open(site); obs(p); o.append(time.perf_counter()-t)
    links=[e.key for e in p.elements if e.role=="link"][:2]
    c=[];s=[]
    for i in range(20):
        t=time.perf_counter(); r=b.act(BrowserAction(action="click",element_id="e"),links[i%2]); obs(r.page); c.append(time.perf_counter()-t); assert not r.error
        t=time.perf_counter(); r=b.act(BrowserAction(action="scroll_down"),None); obs(r.page); s.append(time.perf_counter()-t)
    print(sorted(m), "first open %.0f"%(first*1000), "reset %.0f"%(st.median(o)*1000), "click+nav %.0f"%(st.median(c)*1000), "scroll %.0f"%(st.median(s)*1000), len(p.elements), flush=True)
    b.close()
