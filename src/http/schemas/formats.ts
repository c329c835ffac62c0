import { customerEmail } from '../../domain/customer.ts'
import { personEmail } from '../../domain/person.ts'

/** Custom formats, in addition to those of JSON Schema. */
export const formats = {
  'person-email': personEmail,
  'customer-email': customerEmail,
}
