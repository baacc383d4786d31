# expect: no-gpu-work
# A student's id that is markup for pages, Markdown and XML.
hand_in 'a"><img src=x onerror=alert(1)>]]>&_*`s001'
