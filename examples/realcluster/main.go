// Command realcluster checks whether a real control plane does what the library predicts. It builds etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler and kubectl from their modules, runs them on
// 127.0.0.1 and fills the cluster. In each trial it takes a dump with kubectl, asks whatif about a pod, creates
// the pod, and compares. It can also put a control plane under load.
//
//	go run . -trials 100 -seed 1
//	go run . -scheduler outrank
//	go run . -load 30m -faults all
//	go run . -chart -trials 20
//	go run . -devices -trials 20
//
// Run it in this folder; README.md says more. The exit status is 0 if everything happened as predicted (except for
// documented ties), or if nothing went wrong under load. It is 1 if something did, and 2 if the command could
// not be run. The command ends everything that it has started, even on Ctrl-C, and when the program that
// started it ends, such as go run under a timeout.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, stop = withParent(ctx)
	defer stop()
	os.Exit(status(ctx, os.Args[1:]))
}

// errDifferent is the error of a run in which something did not happen as predicted.
var errDifferent = errors.New("not everything happened as foretold")

// errWrong is the error of a run in which something went wrong under load.
var errWrong = errors.New("not everything went well under load")

// status runs the program and returns its exit status.
func status(ctx context.Context, args []string) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Print(usage())
		return 0
	}
	if err == nil {
		err = run(ctx, o, os.Stdout, os.Stderr)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(context.Cause(ctx), errParent):
		err = errors.Join(errParent, err)
	case errors.Is(err, errDifferent), errors.Is(err, errWrong):
		fmt.Fprintln(os.Stderr, "realcluster:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "realcluster:", err)
	return 2
}
