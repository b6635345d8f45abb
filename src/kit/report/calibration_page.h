/*
 * The page of a calibration: one file, no network. Its tables are shown on terminals, too.
 */
#ifndef TCH_CALIBRATION_PAGE_H
#define TCH_CALIBRATION_PAGE_H

#include "kit/judge/calibration.h"
#include "kit/text/table_forms.h"

/**
 * Draws the newest occasion.
 *
 * @param kept     all stored occasions, the newest last
 * @param metrics  those of the newest occasion, with their curves
 */
void tch_calibration_page(struct tch_buf *b, const struct tch_calibration *kept,
                          const struct tch_calibrating *metrics, size_t count);

/** Adds the smallest changes that can be detected, one row per number of runs. */
void tch_calibration_sight_table(struct tch_buf *b, struct tch_table_form form,
                                 const struct tch_calibration_occasion *o,
                                 const struct tch_calibrating *metrics, size_t count);

/** Adds how much each metric varies without a change. */
void tch_calibration_noise_table(struct tch_buf *b, struct tch_table_form form,
                                 const struct tch_calibration_occasion *o,
                                 const struct tch_calibrating *metrics, size_t count);

#endif
