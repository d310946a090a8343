"""The text of a new family: four pages, its banks and three members, small and in working order."""

from __future__ import annotations

FAMILY = """\
# What all members of the family share: every page, with 'line: NAME' where a member says its own.
presentations: [portal, mobile]
track: L3_STATEFUL
host:
  operator: {join: [operator_stems_FAMILY, operator_ends_FAMILY]}
  slogan: {bank: slogans_FAMILY}
facts:
  count: {number: [12, 96]}
  updated: {date: [-20, -1]}
  receipt: {code: "FM-######"}
state: {sent: false, visitor: ""}
pages:
  home:
    title: "[[ operator ]]"
    nav: 首页
    blocks:
      - {kind: hero, title: "[[ slogan ]]", subtitle: 先看说明，再来登记。, art: scene}
      - kind: stats
        rows:
          - {label: 本月登记, value: "[[ count ]] 位"}
          - {label: 更新日期, value: "[[ updated ]]"}
      - kind: cards
        items:
          - {title: 办理说明, text: 流程和注意事项, art: document, to: rules, link: 查看说明}
          - {title: 登记, text: 填一张表即可, art: device, to: register, link: 去登记}
  rules:
    title: "办理说明 - [[ operator ]]"
    nav: 办理说明
    gate: any
    blocks:
      - {kind: heading, text: 办理说明}
      - kind: bullets
        items:
          - 按登记的先后安排
          - {line: rule}
      - kind: accordion
        name: questions
        items:
          - title: 需要带什么
            blocks:
              - {kind: text, line: bring}
          - title: 多久有结果
            blocks:
              - {kind: text, text: 一般三个工作日之内。}
  register:
    title: "登记 - [[ operator ]]"
    nav: 登记
    gate: any
    blocks:
      - {kind: heading, text: 登记}
      - {kind: text, line: ask}
      - kind: form
        title: 登记表
        fields:
          - {name: visitor, label: 称呼, placeholder: 怎么称呼您, fixture: 周先生}
          - {name: agree, label: 我已看过办理说明, type: checkbox}
        submit: 提交登记
        do: register
      - {kind: notice, tone: good, when: sent, text: "{{ visitor }}，登记已收到，编号 [[ receipt ]]。"}
  contact:
    title: "服务时间 - [[ operator ]]"
    nav: 服务时间
    blocks:
      - {kind: heading, text: 服务时间}
      - {kind: text, text: 工作日九点到十七点，午间有人值守。}
actions:
  register:
    checks:
      - {field: visitor, rule: ".{1,20}", error: 请填写称呼}
      - {field: agree, checked: true, error: 请先勾选}
    set: {sent: true, visitor: "{{ form.visitor }}"}
    go: register
"""

BANKS = """\
operator_stems_FAMILY: [青禾, 南埠, 云桥, 半坡, 小川]
operator_ends_FAMILY: [登记处, 服务站, 事务所]
slogans_FAMILY: [一次说清楚，一次办完, 先看明白，再来办理, 每一步都写在这里]
"""

MEMBER_ENDINGS = {
    "": """\
extends: FAMILY
summary: A registration office that promises a sure return and wants a deposit first.
label: {decision: VIOLATION, type: FRAUD_DECEPTIVE_INDUCEMENT}
lines:
  rule:
    text: [登记之后保证有回报，只多不少, 凡登记的都有返还，稳得回报]
    atom: {component: claim, anchor: VISIBLE_TEXT_OR_CLAIM}
  bring: 带本人证件即可，其他材料以后再补。
  ask:
    text: [登记前请先转入保证金 300 元, 请先交 300 元保证金再填表]
    atom: {component: action, anchor: PAYMENT_RECHARGE_OR_TRANSFER}
""",
    "-plain": """\
extends: FAMILY
summary: The same registration office, which charges nothing and says so.
label: {decision: NON_VIOLATION, type: NONE}
lines:
  rule:
    text: [登记不收任何费用，也不承诺结果, 本处登记免费，结果以审核为准]
    atom: {component: benign, anchor: BENIGN_SERVICE_CONSISTENCY}
  bring: 带本人证件和一份复印件。
  ask:
    text: [有人以本处名义收费，请不要理会, 本处不会要求转账，遇到请告诉我们]
    atom: {component: benign, anchor: COUNTEREVIDENCE_OR_DISCLAIMER}
""",
    "-closed": """\
extends: FAMILY
summary: The same registration office, whose conditions cannot be read.
label: {decision: INSUFFICIENT_EVIDENCE, type: UNKNOWN}
lines:
  rule:
    text: [其余条款没有显示，暂时无法查看, 条款全文未能读出，这里是空白]
    atom: {component: limitation, anchor: ENVIRONMENT_LIMITATION}
  bring: 需要的材料以窗口通知为准。
  ask:
    text: [登记要求尚未公布，现在看不到, 登记要求一栏没有内容，看不到原文]
    atom: {component: limitation, anchor: ENVIRONMENT_LIMITATION}
""",
}
"""Text of each member, by what its name has after the violating member's."""
