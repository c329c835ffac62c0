/** The mark of the pepper that the stored credentials were hashed with; at most one. */
import { maybeOne, type Queryable } from './tenant.ts'

export async function findPepperMark(db: Queryable): Promise<Buffer | undefined> {
  const row = await maybeOne<{ mark: Buffer }>(db, 'SELECT mark FROM pepper_marks', [])
  return row?.mark
}

/** Keeps an existing mark. */
export async function insertPepperMark(db: Queryable, mark: Buffer, now: Date): Promise<void> {
  await db.query('INSERT INTO pepper_marks (mark, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    mark,
    now,
  ])
}

export async function updatePepperMark(db: Queryable, mark: Buffer, now: Date): Promise<void> {
  await db.query('UPDATE pepper_marks SET mark = $1, created_at = $2', [mark, now])
}
