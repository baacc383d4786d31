# A SLURM of our own for tests: slurmctld, munged and two nodes on this host, in a private folder and on private ports. Source it.
#
#   cluster_missing          prints what this machine lacks for it; nothing when it can be started
#   cluster_start DIR        starts it, and exports SLURM_CONF; DIR must be short and readable for all
#   cluster_kill_node NAME   a node and all that runs on it die at once
#   cluster_start_node NAME  it comes back
#   cluster_stop             ends all of it
#
# Each node lives in a pid namespace of its own, so that its death takes everything on it along, as when a machine loses its
# power; nothing here needs systemd, cgroups or accounting.
cluster_dir=

cluster_missing() {
    local program
    for program in slurmctld slurmd munged sbatch squeue scancel scontrol sinfo unshare; do
        PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "no $program (make setup-all)"; return; }
    done
    [ "$(id -u)" -eq 0 ] || { echo "SLURM's daemons need root here"; return; }
    unshare -pf --mount-proc true 2>/dev/null || echo "no pid namespaces for the nodes of a cluster"
}

# Three ports beside one another that nobody listens on.
cluster_ports() {
    local port k
    while :; do
        port=$((20000 + RANDOM % 12000))
        for k in 0 1 2; do
            (exec 3<>/dev/tcp/127.0.0.1/$((port + k))) 2>/dev/null && continue 2
        done
        echo $port
        return
    done
}

cluster_conf() { # PORT
    cat <<END2
ClusterName=test
SlurmctldHost=$(uname -n | cut -d. -f1)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster_dir/munge/socket
CredType=cred/munge
SlurmctldPort=$1
SlurmctldPidFile=$cluster_dir/slurmctld.pid
SlurmctldLogFile=$cluster_dir/slurmctld.log
StateSaveLocation=$cluster_dir/state
SlurmdPidFile=$cluster_dir/%n/slurmd.pid
SlurmdLogFile=$cluster_dir/%n/slurmd.log
SlurmdSpoolDir=$cluster_dir/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=300
KillWait=1
MinJobAge=2
ReturnToService=2
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=1 RealMemory=8000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(($1 + 2)) CPUs=1 RealMemory=8000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END2
}

cluster_start() {
    cluster_dir=$1
    PATH=$PATH:/usr/sbin
    mkdir -p "$cluster_dir"/{state,n1,n2,munge}
    chmod 755 "$cluster_dir" "$cluster_dir/munge"
    head -c 1024 /dev/urandom >"$cluster_dir/munge/key"
    chmod 400 "$cluster_dir/munge/key"
    cluster_conf "$(cluster_ports)" >"$cluster_dir/slurm.conf"
    export SLURM_CONF=$cluster_dir/slurm.conf
    (cd "$cluster_dir/munge" && munged --socket="$PWD/socket" --key-file="$PWD/key" --pid-file="$PWD/pid" --log-file="$PWD/log" --seed-file="$PWD/seed")
    slurmctld -D >"$cluster_dir/slurmctld.out" 2>&1 &
    echo $! >"$cluster_dir/slurmctld.process"
    cluster_start_node n1
    cluster_start_node n2
    cluster_wait_idle
}

cluster_start_node() {
    unshare -pf --kill-child --mount-proc slurmd -D -N "$1" >>"$cluster_dir/$1.out" 2>&1 &
    echo $! >"$cluster_dir/$1.process"
}

cluster_wait_idle() {
    for _ in $(seq 100); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" == 2 ] && return 0
        sleep 0.1
    done
    tail -n 5 "$cluster_dir"/*.log "$cluster_dir"/n*/*.log "$cluster_dir"/*.out >&2
    return 1
}

# The controller would notice by itself, after its timeout of minutes; an operator says it at once.
cluster_kill_node() {
    kill -KILL "$(cat "$cluster_dir/$1.process")" &&
        scontrol update NodeName="$1" State=DOWN Reason="power"
}

cluster_stop() {
    [ -n "$cluster_dir" ] || return
    kill -KILL $(cat "$cluster_dir"/*.process "$cluster_dir/munge/pid" 2>/dev/null) 2>/dev/null
    wait 2>/dev/null
}
