/**
 * A pool for a Citus cluster that sends the statements of an organization straight to the server that has its
 * data. Through the server of DATABASE_URL each of them would be planned twice, and all of them would pass
 * through that one server.
 *
 * It only makes statements cheaper. Every server runs those of every organization, and passes on what is not
 * its own: nothing depends on where the pool believes an organization to be, or on whether it knows. A server
 * is used directly only while it has proved to be a part of this cluster that works with the same role and
 * settings; until then, and when it cannot be reached, this pool does its work.
 */
import pg from 'pg'
import type { DatabaseLog } from './database-log.ts'

interface Node {
  readonly name: string
  readonly pool: pg.Pool
  /** Connections that are open; the pool's own count includes those that may never be. */
  connected: number
  /** Undefined before it was asked. */
  isUsable: boolean | undefined
}

/** A part of the tables: the organizations whose hash is in its range. */
interface Part {
  readonly min: number
  readonly max: number
  readonly host: string
  readonly port: number
  /** The number of its server in the cluster. */
  readonly group: number
}

/** What a connection leads to. */
interface Session {
  /** The role, the settings and the cluster. */
  readonly identity: string
  readonly group: number
  readonly isReplica: boolean
}

export interface DirectOptions {
  openNode(host: string, port: number): pg.Pool
  readonly log?: DatabaseLog
  readonly everyMs?: number
}

/** Parts on the server that is asked need no other connection. */
const partsElsewhere = `SELECT s.shardminvalue::integer AS min, s.shardmaxvalue::integer AS max,
    n.nodename AS host, n.nodeport AS port, n.groupid AS group
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
  WHERE s.logicalrelid = 'setup_versions'::regclass AND n.noderole = 'primary'
    AND n.isactive AND n.hasmetadata AND n.metadatasynced
    AND n.groupid <> (SELECT groupid FROM pg_dist_local_group)`

const describeSession = `SELECT concat_ws(' ', current_user, current_setting('statement_timeout'),
    current_setting('lock_timeout'), md5(string_agg(shardid::text, ' ' ORDER BY shardid))) AS identity,
    (SELECT groupid FROM pg_dist_local_group) AS group, pg_is_in_recovery() AS "isReplica"
  FROM pg_dist_shard WHERE logicalrelid = 'setup_versions'::regclass`

const hashesOf = 'SELECT org, worker_hash(org) AS hash FROM unnest($1::integer[]) AS org'

export class DirectPool extends pg.Pool {
  readonly #options: DirectOptions
  readonly #nodes = new Map<string, Node>()
  /** They never change. */
  readonly #hashes = new Map<number, number>()
  readonly #unknown = new Set<number>()
  #isLearning = false
  #parts: readonly Part[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(config: pg.PoolConfig, options: DirectOptions) {
    super(config)
    this.#options = options
  }

  /** The pool for the statements of an organization: this one, unless another server is known to have its data. */
  poolOf(org: number): pg.Pool {
    return this.#nodeOf(org)?.pool ?? this
  }

  /** This pool and those of the other servers, for what is counted over all of them. */
  all(): pg.Pool[] {
    return [this, ...[...this.#nodes.values()].map(({ pool }) => pool)]
  }

  async connectFor(org: number): Promise<pg.PoolClient> {
    const node = this.#nodeOf(org)
    if (!node) return this.connect()
    try {
      return await node.pool.connect()
    } catch (error) {
      // Otherwise all of its connections are in use.
      if (node.connected < node.pool.options.max) this.#note(node, (error as Error).message)
      return this.connect()
    }
  }

  // The types have the variant with a callback, which nobody uses.
  override async end(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.all([super.end(), ...[...this.#nodes.values()].map(({ pool }) => pool.end())])
  }

  /** The server that has the organization's data, if it is another one and can be used. */
  #nodeOf(org: number): Node | undefined {
    if (this.ending) return undefined
    if (this.#parts === undefined) {
      this.#parts = []
      void this.#look()
    }
    const hash = this.#hashes.get(org)
    if (hash === undefined) {
      this.#unknown.add(org)
      void this.#learn()
      return undefined
    }
    const part = this.#parts.find(({ min, max }) => hash >= min && hash <= max)
    const node = part && this.#nodes.get(nameOf(part))
    return node?.isUsable ? node : undefined
  }

  async #learn(): Promise<void> {
    if (this.#isLearning) return
    this.#isLearning = true
    try {
      while (this.#unknown.size > 0 && !this.ending) {
        const asked = [...this.#unknown]
        const { rows } = await this.query<{ org: number; hash: number }>(hashesOf, [asked])
        for (const { org, hash } of rows) this.#hashes.set(org, hash)
        for (const org of asked) this.#unknown.delete(org)
      }
    } catch {
      // The next statement of an organization asks again.
    } finally {
      this.#isLearning = false
    }
  }

  /** Asks where the parts are, and whether their servers can be used. */
  async #look(): Promise<void> {
    try {
      const parts = (await this.query<Part>(partsElsewhere)).rows
      const own = (await this.query<Session>(describeSession)).rows[0]!
      if (this.ending) return
      this.#openAndClose(parts)
      this.#parts = parts
      const groups = new Map(parts.map((part) => [nameOf(part), part.group]))
      await Promise.all([...groups].map(([name, group]) => this.#check(this.#nodes.get(name)!, own, group)))
    } catch {
      // What was known may still be right, and if not, the servers pass statements on.
    }
    if (this.ending) return
    this.#timer = setTimeout(() => void this.#look(), this.#options.everyMs ?? 5_000).unref()
  }

  #openAndClose(parts: readonly Part[]): void {
    const wanted = new Map(parts.map((part) => [nameOf(part), part]))
    for (const [name, { pool }] of this.#nodes) {
      if (wanted.has(name)) continue
      this.#nodes.delete(name)
      void pool.end()
    }
    for (const [name, { host, port }] of wanted) {
      if (!this.#nodes.has(name)) this.#nodes.set(name, this.#open(name, host, port))
    }
  }

  #open(name: string, host: string, port: number): Node {
    const pool = this.#options.openNode(host, port)
    const node: Node = { name, pool, connected: 0, isUsable: undefined }
    pool.on('connect', () => node.connected++)
    pool.on('remove', () => node.connected--)
    // A listener to the connections of this pool is to hear of all that lead to the database.
    for (const event of ['connect', 'acquire'] as const) pool.on(event, (client) => this.emit(event, client))
    return node
  }

  async #check(node: Node, own: Session, group: number): Promise<void> {
    try {
      const { identity, isReplica, ...found } = (await node.pool.query<Session>(describeSession)).rows[0]!
      const isPart = identity === own.identity && found.group === group
      const obstacle = 'it is no part of this cluster, or its connections have another role or other settings'
      this.#note(node, isReplica ? 'it is a replica' : isPart ? undefined : obstacle)
    } catch (error) {
      this.#note(node, (error as Error).message)
    }
  }

  #note(node: Node, obstacle: string | undefined): void {
    const { name } = node
    if (node.isUsable === (obstacle === undefined)) return
    node.isUsable = obstacle === undefined
    if (node.isUsable) this.#options.log?.info({ node: name }, 'a server of the cluster is used directly')
    else {
      const details = { node: name, reason: obstacle }
      this.#options.log?.warn(details, 'a server of the cluster cannot be used directly')
    }
  }
}

const nameOf = ({ host, port }: Pick<Part, 'host' | 'port'>) => `${host}:${port}`
