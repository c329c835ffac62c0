/**
 * The API reference as one page of plain HTML, rendered from the OpenAPI document when the service starts. It
 * is our own because it must work without internet access and without third-party scripts (decision 0009).
 */
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { refusalAnswers } from '../errors/refusals.ts'
import { codesOf, commonRefusals } from './error-responses.ts'
import { curlOf } from './reference/curl.ts'
import { docGroups } from './reference/doc-pages.ts'
import { type Call, callsOf, type OpenApiDocument, type Parameter, refName } from './reference/document.ts'
import { betweenTags, type Html, html, inline, jsonBlock, markdown } from './reference/html.ts'
import { lastOfTag, type Preparation, preparation, preparationOfTag } from './reference/pasting.ts'
import { schemaFields, typeOf } from './reference/schema-fields.ts'

export function renderReferencePage(document: OpenApiDocument): string {
  const calls = callsOf(document)
  const tags = document.tags
    .map((tag) => ({ ...tag, calls: inOrder(calls.filter((call) => call.tags.includes(tag.name))) }))
    .filter((tag) => tag.calls.length > 0)
  const { title, version, description } = document.info
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<header>
  <div class="brand"><a href="#main">${title}</a> <span class="version">API ${version}</span></div>
  <div class="tools" hidden>
    <label class="search"><span>Search</span><input id="search" type="search" placeholder="Search the docs" autocomplete="off" aria-keyshortcuts="/"><kbd>/</kbd></label>
    <button id="theme" type="button">Theme: system</button>
  </div>
  <div id="results"><p role="status"></p><ul></ul></div>
  <details id="menu" open>
    <summary>Contents</summary>
    <nav aria-label="Reference">
      ${guides()}
      ${tags.map((tag) => navigation(tag.name, tag.calls))}
      <section><h2><a href="#schemas">Schemas</a></h2></section>
    </nav>
  </details>
</header>
<main id="main" tabindex="-1">
  <section class="intro">
    <h1>${title} API reference</h1>
    ${markdown(description)}
    <p>Also available as an OpenAPI 3.1 document: <a href="/openapi.json">/openapi.json</a>, and as a collection for Postman, Bruno and Insomnia: <a href="/docs/postman.json">/docs/postman.json</a></p>
    <h2 id="start">Before you start</h2>
    ${preparation.map(contentOf)}
  </section>
  ${tags.map(
    (tag) => html`<section class="tag" aria-labelledby="${anchor(tag.name)}">
      <h2 id="${anchor(tag.name)}">${tag.name}</h2>
      <p class="lead">${inline(tag.description)}</p>
      ${before(preparationOfTag[tag.name])}
      ${tag.calls.map((call) => operation(document, call))}
    </section>`,
  )}
  ${schemaList(document)}
</main>
</body>
</html>
`.html
}

function guides(): Html {
  const sections = docGroups.map(
    ({ group, pages }) =>
      html`<section><h2>${group}</h2><ul>${pages.map(
        ({ path, title }) => html`<li><a class="page" href="/docs/${path}">${title}</a></li>`,
      )}</ul></section>`,
  )
  return html`${sections}`
}

function inOrder(calls: readonly Call[]): Call[] {
  return calls.toSorted((a, b) => lastOfTag.indexOf(a.operationId) - lastOfTag.indexOf(b.operationId))
}

const contentOf = ({ about, commands }: Preparation) =>
  html`${markdown(about)}${commands !== undefined && shell(commands)}`

const before = (needed: Preparation | undefined) =>
  html`${needed && html`<div class="before">${contentOf(needed)}</div>`}`

const anchor = (tag: string) => `tag-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

function navigation(tag: string, calls: readonly Call[]): Html {
  return html`<section>
    <h2><a href="#${anchor(tag)}">${tag}</a></h2>
    <ul>${calls.map(
      (call) => html`<li><a href="#${call.operationId}">${badge(call.method)}
        <span>${call.summary}</span></a></li>`,
    )}</ul>
  </section>`
}

const badge = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span>`

function operation(document: OpenApiDocument, call: Call): Html {
  return html`<article id="${call.operationId}" aria-labelledby="${call.operationId}-title">
    <div class="text">
      <h3 id="${call.operationId}-title"><a href="#${call.operationId}">${call.summary}</a></h3>
      <p class="route">${badge(call.method)} <code>${breakable(call.path)}</code></p>
      ${call.description !== undefined && markdown(call.description)}
      <p class="access">${accessOf(call)}</p>
      ${parameterList(document, call.parameters ?? [])}
      ${requestBody(document, call)}
      ${replyList(document, call)}
      ${operationErrors(call)}
    </div>
    <div class="samples">
      <h4>Request</h4>
      ${shell(curlOf(call))}
      ${sampleReply(call)}
    </div>
  </article>`
}

/** Lets a long path wrap after a slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`
}

function accessOf({ security = [] }: Call): Html {
  if (security.length === 0) return html`No token needed.`
  if (security.some((requirement) => 'operator' in requirement))
    return html`For the operator: bearer token <code>ADMIN_TOKEN</code>.`
  const tokens = security.flatMap(({ bearer }) => bearer ?? [])
  const scopes = security.flatMap(({ session }) => session ?? [])
  if (scopes.length === 0) return html`Any session.`
  const named = scopes.map((scope, i) => html`${i > 0 && ' or '}<code>${scope}</code>`)
  return html`${tokens.length > 0 ? 'Bearer token or session' : 'Session'} with the scope ${named}.`
}

const places = { path: 'Path', query: 'Query', header: 'Headers' } as const

/** Every request takes it: the guide says so once. */
const isCommon = ({ name }: Parameter) => name === 'x-request-id'

function parameterList(document: OpenApiDocument, parameters: readonly Parameter[]): Html {
  const groups = (Object.keys(places) as (keyof typeof places)[]).map((place) => {
    const here = parameters.filter((parameter) => parameter.in === place && !isCommon(parameter))
    if (here.length === 0) return html``
    const required = here.filter(({ required }) => required).map(({ name }) => name)
    const properties = Object.fromEntries(
      here.map(({ name, schema, description, example }) => [
        name,
        { ...schema, description, ...(example !== undefined && { examples: [example] }) },
      ]),
    )
    return html`<h4>${places[place]}</h4>${schemaFields(document, { type: 'object', properties, required })}`
  })
  return html`${groups}`
}

function requestBody(document: OpenApiDocument, { requestBody }: Call): Html {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return html``
  const target = schema.$ref ? document.components.schemas[refName(schema.$ref)] : schema
  const members = schemaFields(document, schema)
  return html`<h4>Body</h4>
    ${target?.description !== undefined && html`<p>${inline(target.description)}</p>`}
    ${members}`
}

function replyList(document: OpenApiDocument, { responses }: Call): Html {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, reply]) => {
      const [type, media] = Object.entries(reply.content ?? {})[0] ?? []
      const { schema } = media ?? {}
      return html`<h4>Response</h4>
        <p><strong>${status}</strong> ${reply.description} ${schema && typeOf(document, schema)}${
          type !== 'application/json' && html` as <code>${type}</code>`
        }</p>
        ${
          schema?.type !== 'string' &&
          schema !== undefined &&
          html`<details><summary>Response fields</summary>${schemaFields(document, schema, 1)}</details>`
        }`
    })
  return html`${rows}`
}

function sampleReply({ responses }: Call): Html {
  const samples = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, reply]) => {
      const example = Object.values(reply.content ?? {})[0]?.example
      if (example === undefined) return html``
      return html`<h4>Response ${status}</h4>${
        typeof example === 'string'
          ? html`<pre tabindex="0"><code>${example}</code></pre>`
          : jsonBlock(example)
      }`
    })
  return html`${samples}`
}

function operationErrors({ responses }: Call): Html {
  const all = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, reply]) => codesOf(reply).map((code) => ({ status, code })))
  const own = all.filter(({ code }) => !commonRefusals.includes(code))
  const common = all.filter(({ code }) => commonRefusals.includes(code))
  return html`<h4>Errors</h4>
    ${own.length > 0 ? errorTable(own) : html`<p class="none">No specific errors.</p>`}
    <p class="common">Common errors: ${common.map(
      ({ status, code }, i) =>
        html`${i > 0 && ', '}<a href="/docs/errors#${code}"><code>${code}</code></a> <span class="status">${status}</span>`,
    )}.</p>`
}

function errorTable(rows: readonly { status: string; code: RefusalCode }[]): Html {
  return html`<ul class="errors">${rows.map(
    ({
      status,
      code,
    }) => html`<li><span class="status">${status}</span> <a href="/docs/errors#${code}"><code>${code}</code></a>
      <div class="about">${inline(refusals[code])} <span class="advice">${inline(refusalAnswers[code].advice)}</span></div></li>`,
  )}</ul>`
}

function schemaList(document: OpenApiDocument): Html {
  return html`<section class="tag" aria-labelledby="schemas">
    <h2 id="schemas">Schemas</h2>
    <p class="lead">The objects in requests and responses.</p>
    ${Object.entries(document.components.schemas)
      .toSorted(byName)
      .map(
        ([name, schema]) => html`<article class="schema" id="schema-${name}">
        <h3><a href="#schema-${name}">${name}</a></h3>
        ${schema.description !== undefined && explained(schema.description)}
        ${schemaFields(document, schema, 0)}
      </article>`,
      )}
  </section>`
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** A sentence, and what each value of a closed list means. */
function explained(description: string): Html {
  const [sentence = '', ...values] = description.split('\n- ')
  return html`<p>${inline(sentence)}</p>${
    values.length > 0 && html`<ul>${values.map((value) => html`<li>${inline(value)}</li>`)}</ul>`
  }`
}

const shell = (text: string) => html`<pre class="shell" tabindex="0"><code>${betweenTags(text)}</code></pre>`
