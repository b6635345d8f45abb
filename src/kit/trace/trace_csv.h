/*
 * The header line of a CSV file of spans.
 */
#ifndef TCH_TRACE_CSV_H
#define TCH_TRACE_CSV_H

#define TCH_CSV_HEAD "pid,tid,process,thread,name,category,start_ns,dur_ns,args\n"

enum { TCH_CSV_FIELDS = 9 };

#endif
