/*
 * The tables of a store, and their versions.
 */
#ifndef TCH_STORE_SCHEMA_H
#define TCH_STORE_SCHEMA_H

#include <tacho/error.h>

#include "db.h"

/** Creates the tables of a new database, or brings those of an earlier version up to date, in one
    transaction. Refuses a database of a later version by TACHO_EUNSUPPORTED. */
int tch_store_migrate(struct tch_db *db, tacho_error *err);

#endif
