/** The style of the reference page. Every pair of text and ground keeps a contrast of at least 4.5 to 1. */

const dark = `
  --ground: #12161b; --panel: #181d24; --line: #303844; --text: #e6e9ed; --soft: #a5afbc; --link: #7ab8ff;
  --accent: #5fd0bd; --code: #222932; --block: #181d24; --key: #f0b67f; --string: #85d6a5; --number: #dba3e6;
  --get: #8cc2ff; --get-ground: #17304d; --post: #85d6a5; --post-ground: #143526; --patch: #f2c77c;
  --patch-ground: #40300f; --delete: #ff9f9b; --delete-ground: #4a1a1a; --required: #ff9f9b;
  color-scheme: dark;
`

export const referenceStyle = `
:root {
  --ground: #ffffff; --panel: #f6f7f9; --line: #d9dde3; --text: #1c2127; --soft: #525c69; --link: #0b57a8;
  --accent: #0b6b5e; --code: #f0f2f5; --block: #f6f7f9; --key: #7a3e00; --string: #0a6640; --number: #8a2b8f;
  --get: #0b57a8; --get-ground: #e4eefa; --post: #0a6640; --post-ground: #dff3e8; --patch: #7a4b00;
  --patch-ground: #fbeed6; --delete: #a3201d; --delete-ground: #fde7e6; --required: #a3201d;
  color-scheme: light;
}
:root[data-theme='dark'] {${dark}}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme='light']) {${dark}}
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  display: grid; grid-template-columns: 19rem minmax(0, 1fr);
}
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .2rem; }
code, pre, kbd { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; font-size: .875em; }
p code, li code, .about code { background: var(--code); padding: .1em .3em; border-radius: .25rem; overflow-wrap: anywhere; }
a code { background: none !important; padding: 0 !important; }
.skip { position: absolute; left: -999rem; background: var(--ground); padding: .5rem 1rem; z-index: 2; }
.skip:focus { left: .5rem; top: .5rem; }

header {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; background: var(--panel);
  border-right: 1px solid var(--line); padding: 1.25rem 1rem 2rem;
}
.brand { font-weight: 700; font-size: 1.1rem; display: flex; align-items: baseline; gap: .5rem; flex-wrap: wrap; }
.brand a { color: inherit; text-decoration: none; }
.version { color: var(--soft); font-size: .8rem; font-weight: 400; }
.tools { margin-top: 1rem; display: grid; gap: .5rem; }
.search { position: relative; display: block; }
.search span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.search input {
  width: 100%; padding: .5rem 2rem .5rem .7rem; font: inherit; font-size: .9rem; color: var(--text);
  background: var(--ground); border: 1px solid var(--soft); border-radius: .4rem;
}
.search kbd {
  position: absolute; right: .6rem; top: .5rem; color: var(--soft); border: 1px solid var(--line);
  border-radius: .25rem; padding: 0 .35rem; font-size: .75rem; background: var(--panel); pointer-events: none;
}
button {
  font: inherit; font-size: .8rem; color: var(--text); background: var(--ground); border: 1px solid var(--soft);
  border-radius: .4rem; padding: .3rem .6rem; cursor: pointer; justify-self: start;
}
#menu { margin-top: 1rem; }
#menu > summary { display: none; }
nav section { margin-bottom: 1.1rem; }
nav h2 { font-size: .78rem; letter-spacing: .04em; text-transform: uppercase; margin: 0 0 .3rem; }
nav h2 a { color: var(--soft); text-decoration: none; }
nav h2 a:hover { text-decoration: underline; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a {
  display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); gap: .5rem; align-items: baseline;
  padding: .25rem .4rem; border-radius: .3rem; color: var(--text); text-decoration: none; font-size: .86rem; line-height: 1.35;
}
nav li a:hover { background: var(--code); }
nav li a[aria-current] { background: var(--code); box-shadow: inset 3px 0 var(--accent); font-weight: 600; }
#nothing { color: var(--soft); font-size: .9rem; }

.method {
  display: inline-block; font-size: .68rem; font-weight: 700; letter-spacing: .02em; text-align: center;
  padding: .1rem .3rem; border-radius: .25rem; background: var(--get-ground); color: var(--get);
}
.method.post { background: var(--post-ground); color: var(--post); }
.method.patch, .method.put { background: var(--patch-ground); color: var(--patch); }
.method.delete { background: var(--delete-ground); color: var(--delete); }

main { padding: 2rem clamp(1rem, 3vw, 3rem) 6rem; max-width: 90rem; min-width: 0; }
main:focus { outline: none; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
.intro { max-width: 48rem; }
.intro h2 { font-size: 1.15rem; margin-top: 2rem; }
.tag > h2 { font-size: 1.5rem; margin: 4rem 0 .25rem; padding-top: 1rem; border-top: 3px solid var(--accent); }
.lead { color: var(--soft); margin-top: 0; max-width: 48rem; }
article {
  display: grid; grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); gap: 1rem 2.5rem;
  padding: 2rem 0; border-top: 1px solid var(--line);
}
.lead + article { border-top: 0; padding-top: 1rem; }
article.schema { display: block; max-width: 52rem; padding: 1.25rem 0; }
h3 { font-size: 1.15rem; margin: 0 0 .4rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft); margin: 1.5rem 0 .4rem; }
.samples h4:first-child { margin-top: 0; }
.route { margin: 0 0 .75rem; display: flex; gap: .5rem; align-items: baseline; }
.route code { background: none; padding: 0; font-size: .95rem; font-weight: 600; }
.text > p { margin: .5rem 0; }
.access { color: var(--soft); font-size: .9rem; }
.samples { min-width: 0; position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }

ul.members, ul.errors { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .5rem; }
ul.members > li, ul.errors > li { padding: .55rem .8rem; border-top: 1px solid var(--line); }
ul.members > li:first-child, ul.errors > li:first-child { border-top: 0; }
ul.members ul.members { margin-top: .4rem; background: var(--ground); }
.member { display: flex; flex-wrap: wrap; gap: .15rem .6rem; align-items: baseline; }
.member .name { background: none; padding: 0; font-weight: 600; }
.type { color: var(--soft); font-size: .86rem; }
.required { color: var(--required); font-size: .75rem; font-weight: 600; }
.about { font-size: .92rem; margin-top: .1rem; }
.bounds, .advice, .none, .case { color: var(--soft); font-size: .86rem; }
.case { margin: .5rem 0 .3rem; }
.errors .status { display: inline-block; min-width: 2.4rem; font-variant-numeric: tabular-nums; color: var(--soft); font-size: .86rem; }
.common { font-size: .86rem; color: var(--soft); line-height: 1.7; }
.common code { overflow-wrap: anywhere; }
.errors.all { max-width: 60rem; }
.errors :target, li:target, article:target { scroll-margin-top: 1rem; }
li:target { background: var(--code); }
details > summary { cursor: pointer; color: var(--link); font-size: .88rem; margin: .35rem 0; width: fit-content; }

pre {
  margin: 0; padding: .9rem 1rem; background: var(--block); border: 1px solid var(--line); border-radius: .5rem;
  overflow-x: auto; line-height: 1.5; tab-size: 2;
}
pre code { font-size: .8rem; }
.k { color: var(--key); } .s { color: var(--string); } .n { color: var(--number); }
.frame { position: relative; }
.copy { position: absolute; top: .5rem; right: .5rem; opacity: 0; }
.frame:hover .copy, .copy:focus-visible { opacity: 1; }
@media (hover: none) { .copy { opacity: 1; } .frame pre { padding-bottom: 2.8rem; } .copy { top: auto; bottom: .5rem; } }

@media (max-width: 75rem) {
  article { grid-template-columns: minmax(0, 1fr); }
  .samples { position: static; max-height: none; overflow: visible; }
}
@media (max-width: 60rem) {
  html { scroll-padding-top: 0; }
  body { display: block; }
  header { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  #menu > summary { display: list-item; font-weight: 600; font-size: 1rem; padding: .3rem 0; }
  .tools { grid-template-columns: minmax(0, 1fr) auto; align-items: center; }
  main { padding: 1.25rem 1rem 4rem; }
  h1 { font-size: 1.5rem; }
  .tag > h2 { margin-top: 2.5rem; }
}
@media print { header, .copy { display: none; } body { display: block; } }
`.trimStart()
