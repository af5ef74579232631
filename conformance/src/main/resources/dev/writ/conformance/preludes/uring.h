/* SPDX-License-Identifier: Apache-2.0 */
/* uring.h - one raw io_uring submission, no liburing */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <errno.h>
static int uring(struct io_uring_sqe *s){struct io_uring_params p;memset(&p,0,sizeof p);
 int f=syscall(__NR_io_uring_setup,4,&p);if(f<0)return -errno;
 char*q=mmap(0,p.sq_off.array+64,3,MAP_SHARED,f,0),*c=mmap(0,p.cq_off.cqes+p.cq_entries*16,3,MAP_SHARED,f,IORING_OFF_CQ_RING);
 struct io_uring_sqe*e=mmap(0,4*sizeof*e,3,MAP_SHARED,f,IORING_OFF_SQES);
 e[0]=*s;((unsigned*)(q+p.sq_off.array))[0]=0;__atomic_store_n((unsigned*)(q+p.sq_off.tail),1,__ATOMIC_RELEASE);
 if(syscall(__NR_io_uring_enter,f,1,1,IORING_ENTER_GETEVENTS,0,0)<0)return -errno;
 return ((struct io_uring_cqe*)(c+p.cq_off.cqes))->res;}
