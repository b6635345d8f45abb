#!/usr/bin/env python3
"""Writes the cases in vectors/, beside this file.

Inputs are chosen by hand. Expected results follow from the definitions: they are written by hand,
or computed with Python's own floats, JSON, SHA-256 and Unicode tables. Nothing here uses tacho. Run
this after a change, and commit the files that it writes.
"""
from cases_of_attention import attention, masks
from cases_of_text import events, labels, traces
from cases_of_values import csv, floats, hashes, measurements, statistics

for make in (floats, statistics, measurements, csv, hashes, attention, masks, labels, traces,
             events):
    make()
