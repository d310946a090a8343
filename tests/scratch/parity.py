import sys, time, statistics as st, dataclasses
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.keyed import key_from_seed, KeyedRandom
from riskchain_gym.sites.build import build_site
from PIL import Image
names=sys.argv[2:] or ["order-rebate","points-hall","bank-wall","reverify","player-plugin"]
b=ChromiumBackend(modalities=frozenset({"screenshot"})); tb=TextBackend()
def plain(p):
    return dataclasses.asdict(dataclasses.replace(p, lines=tuple(l.text for l in p.lines), elements=tuple(dataclasses.replace(e,box=None) for e in p.elements), scroll_y=0, height=0))
def same(raw, txt, what):
    a,c=plain(raw),plain(txt)
    for k in a:
        if a[k]!=c[k]:
            print("DIFF",what,k)
            if isinstance(a[k],tuple) and a[k] and c[k]:
                for x in a[k]:
                    if x not in c[k]: print("   chromium", x)
                for x in c[k]:
                    if x not in a[k]: print("   text    ", x)
                if sorted(map(str,a[k]))==sorted(map(str,c[k])): print("   order differs")
            else: print("  ",a[k],"|",c[k])
            return False
    return True
opens=[];acts=[]
for n in names:
    site,gold=build_site(n,key_from_seed(0),"1")
    t=time.perf_counter(); raw=b.open(site); opens.append(time.perf_counter()-t)
    txt=tb.open(site); ok=same(raw,txt,f"{n} landing")
    Image.fromarray(b.screenshot()).save(f"/tmp/shot-{n}.png")
    rng=KeyedRandom(b"x",n); log=[]
    for i in range(int(sys.argv[1])):
        kinds=[("reload",None),("back",None),("scroll_down",None)]
        for e in raw.elements:
            for c,v in e.capabilities.model_dump().items():
                if v: kinds+= [(c,e.key)]*(1 if e.role=="link" else 3)
        k,key=rng.choice(kinds)
        act=BrowserAction(action=k,element_id="e" if key else None)
        t=time.perf_counter(); r=b.act(act,key); acts.append(time.perf_counter()-t)
        s=tb.act(act,key); log.append((k,key,raw.path,r.page.path))
        if r.error!=s.error: print("ERR",n,i,k,key,r.error,s.error)
        raw=r.page
        if not same(raw,s.page,f"{n} {i} {k} {key} {[e for e in (raw.elements) if e.key==key][:1]} {log[-3:]}"): break
    Image.fromarray(b.screenshot()).save(f"/tmp/shot-{n}-end.png")
print("open", [round(x*1000) for x in opens], "act", round(st.median(acts)*1000), len(acts))
b.close()
