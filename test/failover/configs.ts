/** The settings of the cluster's programs, as an operator would write them; Patroni reads JSON as YAML. */

/**
 * The shortest `ttl` that Patroni allows, and what goes with it. A primary that is cut off waits for its standbys
 * when it stops; unless it is ended before Patroni tries again, it is started twice and does not rejoin.
 */
export const times = { ttl: 20, loop_wait: 5, retry_timeout: 5, primary_stop_timeout: 4 }

export const superuser = { username: 'postgres', password: 'superuser-of-the-failover-test' }
export const replicator = { username: 'replicator', password: 'replicator-of-the-failover-test' }

/** The ports of a node: its own, and those at which the others reach it. */
export interface NodePorts {
  readonly postgres: number
  readonly rest: number
  /** Through proxies, which can be cut off; `direct` is for the service that knows all nodes. */
  readonly outside: Readonly<Record<'postgres' | 'rest' | 'etcd' | 'direct', number>>
}

export function patroniConfig(node: {
  readonly name: string
  readonly folder: string
  readonly postgresBin: string
  readonly ports: NodePorts
  readonly isSynchronous: boolean
}): object {
  const { name, folder, postgresBin, ports, isSynchronous } = node
  const at = (port: number) => `127.0.0.1:${port}`
  return {
    scope: 'wallet',
    name,
    restapi: { listen: at(ports.rest), connect_address: at(ports.outside.rest) },
    // As a proxy, because otherwise Patroni would ask etcd for its address and go around ours.
    etcd3: { hosts: [at(ports.outside.etcd)], use_proxies: true },
    bootstrap: {
      dcs: {
        ...times,
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: [
        `host replication ${replicator.username} 127.0.0.1/32 scram-sha-256`,
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      listen: at(ports.postgres),
      connect_address: at(ports.outside.postgres),
      data_dir: `${folder}/data`,
      bin_dir: postgresBin,
      pgpass: `${folder}/pgpass`,
      authentication: { superuser, replication: replicator },
      parameters: { unix_socket_directories: folder, password_encryption: 'scram-sha-256' },
      basebackup: [{ checkpoint: 'fast' }],
    },
  }
}

/** The address that leads to the primary: the node that Patroni says is one. */
export function haproxyConfig(port: number, nodes: readonly { name: string; ports: NodePorts }[]): string {
  const servers = nodes.map(
    ({ name, ports: { outside } }) =>
      `  server ${name} 127.0.0.1:${outside.postgres} check port ${outside.rest}`,
  )
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h

listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}
