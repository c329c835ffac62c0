/**
 * A pool for a Citus cluster that sends the statements of an organization straight to the server that has its
 * data. Through the server of DATABASE_URL each of them would be planned twice, and all of them would pass
 * through that one server.
 *
 * It only makes statements cheaper. Every server runs those of every organization, and passes on what is not
 * its own: nothing depends on where the pool believes an organization to be, or on whether it knows.
 */
import pg from 'pg'
import type { DatabaseLog } from './database-log.ts'

interface Node {
  readonly name: string
  readonly pool: pg.Pool
  isAway: boolean
}

/** A part of the tables: the organizations whose hash is in its range. */
interface Part {
  readonly min: number
  readonly max: number
  readonly host: string
  readonly port: number
}

export interface DirectOptions {
  openNode(host: string, port: number): pg.Pool
  readonly log?: DatabaseLog
  readonly everyMs?: number
}

/** Parts on the server that is asked need no other connection. */
const partsElsewhere = `SELECT s.shardminvalue::integer AS min, s.shardmaxvalue::integer AS max,
    n.nodename AS host, n.nodeport AS port
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
  WHERE s.logicalrelid = 'setup_versions'::regclass AND n.noderole = 'primary'
    AND n.groupid <> (SELECT groupid FROM pg_dist_local_group)`

const hashOf = 'SELECT worker_hash($1::integer) AS hash'

export class DirectPool extends pg.Pool {
  readonly #options: DirectOptions
  readonly #nodes = new Map<string, Node>()
  /** Never change; `undefined` while they are being asked for. */
  readonly #hashes = new Map<number, number | undefined>()
  #parts: readonly Part[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(config: pg.PoolConfig, options: DirectOptions) {
    super(config)
    this.#options = options
  }

  /** The pool for the statements of an organization: this one, unless another server is known to have its data. */
  poolOf(org: number): pg.Pool {
    const node = this.#nodeOf(org)
    return node && !node.isAway ? node.pool : this
  }

  /** This pool and those of the other servers, for what is counted over all of them. */
  all(): pg.Pool[] {
    return [this, ...[...this.#nodes.values()].map(({ pool }) => pool)]
  }

  async connectFor(org: number): Promise<pg.PoolClient> {
    const node = this.#nodeOf(org)
    if (!node || node.isAway) return this.connect()
    try {
      return await node.pool.connect()
    } catch (error) {
      // All of its connections being in use is no reason to load another server.
      if (node.pool.totalCount >= node.pool.options.max) throw error
      this.#noteAway(node, error)
      return this.connect()
    }
  }

  #noteAway(node: Node, error: unknown): void {
    if (node.isAway) return
    node.isAway = true
    const details = { err: error, node: node.name }
    this.#options.log?.warn(details, 'a server of the cluster cannot be reached directly')
  }

  // The types have the variant with a callback, which nobody uses.
  override async end(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.all([super.end(), ...[...this.#nodes.values()].map(({ pool }) => pool.end())])
  }

  #nodeOf(org: number): Node | undefined {
    if (this.ending) return undefined
    if (this.#parts === undefined) {
      this.#parts = []
      void this.#look()
    }
    const hash = this.#hashes.get(org)
    if (hash === undefined) {
      if (!this.#hashes.has(org)) void this.#learn(org)
      return undefined
    }
    const part = this.#parts.find(({ min, max }) => hash >= min && hash <= max)
    return part && this.#nodeAt(part)
  }

  #nodeAt({ host, port }: Part): Node {
    const name = `${host}:${port}`
    let node = this.#nodes.get(name)
    if (!node) {
      const pool = this.#options.openNode(host, port)
      // A listener to the connections of this pool is to hear of all that lead to the database.
      for (const event of ['connect', 'acquire'] as const)
        pool.on(event, (client) => this.emit(event, client))
      node = { name, pool, isAway: false }
      this.#nodes.set(name, node)
    }
    return node
  }

  async #learn(org: number): Promise<void> {
    this.#hashes.set(org, undefined)
    try {
      const { rows } = await this.query<{ hash: number }>(hashOf, [org])
      this.#hashes.set(org, rows[0]!.hash)
    } catch {
      this.#hashes.delete(org)
    }
  }

  /** Asks where the parts are, and whether servers that were away are back. */
  async #look(): Promise<void> {
    try {
      this.#parts = (await this.query<Part>(partsElsewhere)).rows
      await Promise.all(
        [...this.#nodes.values()].filter(({ isAway }) => isAway).map((node) => this.#try(node)),
      )
    } catch {
      // What was known may still be right, and if not, the servers pass statements on.
    }
    if (this.ending) return
    this.#timer = setTimeout(() => void this.#look(), this.#options.everyMs ?? 5_000).unref()
  }

  async #try(node: Node): Promise<void> {
    const isBack = await node.pool.query('SELECT 1').then(
      () => true,
      () => false,
    )
    if (!isBack) return
    node.isAway = false
    this.#options.log?.info({ node: node.name }, 'a server of the cluster can be reached directly again')
  }
}
