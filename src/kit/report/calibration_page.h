/*
 * The page of a calibration: one file, no network.
 */
#ifndef TCH_CALIBRATION_PAGE_H
#define TCH_CALIBRATION_PAGE_H

#include "kit/judge/calibration.h"

/**
 * Draws the newest occasion.
 *
 * @param kept     all stored occasions, the newest last
 * @param metrics  those of the newest occasion, with their curves
 */
void tch_calibration_page(struct tch_buf *b, const struct tch_calibration *kept,
                          const struct tch_calibrating *metrics, size_t count);

#endif
