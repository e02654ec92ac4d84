//! What the kernel offers: devices, mounts, namespaces, keys, settings.

use super::Sandbox::{Landlock, Online};
use super::{Attempt, SECRET, attempt, none_gets_out};

const ATTEMPTS: &[Attempt] = &[
    attempt(
        "a device made anew",
        "mknod d c 1 1 2>/dev/null && cat d >/dev/null && echo GOT OUT; mknod b b 254 0 2>/dev/null && head -c1 b >/dev/null && echo GOT OUT; true",
    ),
    attempt(
        "disks",
        "for d in /dev/sd* /dev/vd* /dev/nvme* /dev/loop* /dev/dm-*; do [ -b $d ] && head -c1 $d >/dev/null 2>&1 && echo GOT OUT $d; done; true",
    ),
    attempt(
        "memory of the machine",
        "for d in /dev/mem /dev/kmem /dev/port /proc/kcore; do head -c1 $d 2>/dev/null | grep -q . && echo GOT OUT $d; done; true",
    ),
    attempt(
        "messages of the kernel",
        "timeout 1 head -c1 /dev/kmsg 2>/dev/null | grep -q . && echo GOT OUT; dmesg 2>/dev/null | grep -q . && echo GOT OUT; true",
    ),
    attempt(
        "devices beyond the usual",
        "ls /dev | grep -vxE 'null|zero|full|random|urandom|tty|ptmx|pts|shm|mqueue|fd|stdin|stdout|stderr|console|core' | grep . && echo GOT OUT; true",
    ),
    attempt(
        "virtual machines and containers",
        "for d in /dev/kvm /dev/fuse /dev/net/tun /dev/vhost-net; do [ -c $d ] && (: <> $d) 2>/dev/null && echo GOT OUT $d; done; true",
    ),
    attempt(
        "settings of the kernel",
        "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sys/kernel/randomize_va_space; do v=$(cat $f); (echo \"$v\" > $f) 2>/dev/null && echo GOT OUT $f; done; true",
    ),
    attempt(
        "settings of devices",
        "f=/sys/kernel/mm/ksm/run; v=$(cat $f) && (echo $v > $f) 2>/dev/null && echo GOT OUT; true",
    ),
    attempt(
        "control groups",
        "mkdir /sys/fs/cgroup/kitbag-escape 2>/dev/null && rmdir /sys/fs/cgroup/kitbag-escape && echo GOT OUT; (echo $$ > /sys/fs/cgroup/cgroup.procs) 2>/dev/null && echo GOT OUT; true",
    ),
    attempt("the magic key", "(: > /proc/sysrq-trigger) 2>/dev/null && echo GOT OUT; true"),
    attempt("a file system", "mkdir m; mount -t tmpfs x m 2>/dev/null && echo GOT OUT; true"),
    attempt(
        "the root made writable",
        "for m in / /usr /etc {home}; do mount -o remount,bind,rw $m 2>/dev/null && echo GOT OUT $m; done; true",
    ),
    attempt(
        "mounts made writable in a namespace of its own",
        "unshare -Urm sh -c 'mount -o remount,bind,rw /; mount -o remount,bind,rw /usr; echo x > {outside}/new; echo x > {home}/new'; true",
    ),
    attempt(
        "the old root",
        "unshare -Urm sh -c 'mkdir -p m && mount -t tmpfs x m && cd m && mkdir old && pivot_root . old && ls old{home}/Documents' | grep -q diary && echo GOT OUT; true",
    ),
    attempt(
        "namespaces of others",
        "for n in mnt pid net ipc uts user; do for p in 1 $PPID; do nsenter --$n=/proc/$p/ns/$n readlink /proc/self/ns/$n 2>/dev/null | grep -vx \"$(readlink /proc/self/ns/$n)\" && echo GOT OUT $n; done; done; true",
    ),
    Attempt {
        before: |den| {
            let name = den.person("uname -n").out.trim().to_owned();
            den.word("host", name);
        },
        after: |den| {
            let now = den.person("uname -n").out;
            let changed = now.contains("kitbag-escape");
            changed.then(|| {
                den.person("hostname {host}");
                "the name of the machine was changed".to_owned()
            })
        },
        ..attempt("the name of the machine", "hostname kitbag-escape; true")
    },
    Attempt {
        before: |den| {
            // Segment of memory with a secret; its creator waits.
            let id = den.perl(&format!(
                "$|=1; $i=shmget(0x6b697462,99,0666|01000); shmwrite($i,'{SECRET}shared',0,40); \
                 print \"$i\\n\"; $SIG{{TERM}}=sub{{exit}}; sleep 60"
            ));
            den.word("segment", id);
        },
        after: |den| {
            den.person("ipcrm -m {segment}");
            None
        },
        ..attempt(
            "shared memory",
            "perl -e '$i=shmget(0x6b697462,99,0666); shmread($i,$b,0,40) and print $b'",
        )
    },
    Attempt {
        before: |den| {
            // add_key("user", name, secret, user keyring)
            den.perl(&format!(
                "$|=1; $s='{SECRET}key'; $t='user'; $d='kitbag-den'; syscall(248,$t,$d,$s,length $s,-4); print \"ok\\n\"; sleep 60"
            ));
        },
        after: |den| {
            den.person(
                "perl -e '$t=\"user\";$d=\"kitbag-den\";$k=syscall(250,10,-4,$t,$d,0); syscall(250,9,$k,-4)'",
            );
            None
        },
        // keyctl(SEARCH), keyctl(READ)
        ..attempt(
            "the person's keyring",
            "perl -e '$t=\"user\";$d=\"kitbag-den\";$k=syscall(250,10,-4,$t,$d,0); $b=\"\\0\"x99; $n=syscall(250,11,$k,$b,99); print $b if $n>0'",
        )
    },
    Attempt {
        after: |den| {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(den.place.path("s")).map_or(0, |m| m.permissions().mode());
            let root = crate::place::is_root() && mode & 0o4000 != 0;
            root.then(|| format!("whoever runs it becomes root: {mode:o}"))
        },
        ..attempt("a file that makes its user root", "cp /bin/true s; chmod 6755 s")
    },
    attempt(
        "programs in the kernel",
        "perl -e '$a=pack(\"LLLLQQQQQ\",2,4,4,1,0,0,0,0,0); syscall(321,0,$a,length $a)>=0 and print \"GOT OUT\"'",
    ),
    attempt(
        "modules of the kernel",
        // init_module; EPERM or ENOSYS
        "perl -e 'syscall(175,0,0,0); $e=$!+0; $e==1 or $e==38 or print \"GOT OUT\"'",
    ),
    attempt(
        "network of the machine",
        "ls /sys/class/net /proc/sys/net/ipv4/conf 2>/dev/null | grep -E '^(eth|en|wl|docker)' && echo GOT OUT; true",
    ),
];

#[test]
fn the_kernel_gives_nothing_away() {
    none_gets_out(
        ATTEMPTS,
        &[
            (Landlock, "shared memory", "only a namespace parts it"),
            (Landlock, "a file that makes its user root", "only a layer is looked through"),
            (Online, "network of the machine", "it is the network of the host"),
            (Landlock, "network of the machine", "only a namespace parts it"),
        ],
    );
}
