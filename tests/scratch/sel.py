from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.build import build_site
b=ChromiumBackend(modalities=frozenset())
site,g=build_site("sure-return",key_from_seed(0),"1")
p=b.open(site)
def act(k,key=None):
    global p
    r=b.act(BrowserAction(action=k,element_id="e" if key else None),key); p=r.page; print(k,key,r.error,p.path)
def html(): return b._host.use(lambda e: e.page.evaluate("[...document.querySelectorAll('select')].map(s=>s.outerHTML+' idx='+s.selectedIndex+' val='+s.value)"),10,"x")
import sys
for e in p.elements: print(e.key,e.role,e.name)
while not html():
    l=[e for e in p.elements if e.role=="link"]
    for e in l:
        act("click",e.key)
        if html(): break
print(html()); k=[e.key for e in p.elements if e.role=="combobox"][0]
act("select",k); print(html())
k2=[e.key for e in p.elements if e.role=="button"][-1]; act("click",k2); print(html()); act("select",k); print(html())
b.close()
