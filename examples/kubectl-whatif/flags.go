package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// flagGroup is a group of flags in the help.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// groups returns all flags in the order of the help. Parsing them sets the fields of o.
func (o *options) groups() []flagGroup {
	return []flagGroup{
		{"Where to look (default: a sample cluster that comes with the program)", o.placeFlags()},
		{"The pod, one way of naming it (default for the sample: " + sampleQuestion + ")", o.namedFlags()},
		{"or described", o.describingFlags()},
		{"Changes before anything is asked, any number, in the order given (alone: what becomes of everybody?)", o.changeFlags()},
		{"Another question (default: who would have to leave for the pod)", o.questionFlags()},
		{"How to answer", o.answerFlags()},
	}
}

// newFlags returns a set of flags that the help lists in the order in which they are added.
func newFlags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	return fs
}

// placeFlags name the cluster.
func (o *options) placeFlags() *pflag.FlagSet {
	fs := newFlags()
	fs.StringSliceVar(&o.clusters, "cluster", nil, "`FILE`s with a dump in JSON or YAML, plain or gzipped, - for standard input, or folders of such files, "+
		"as the last of the examples below makes one")
	fs.BoolVar(&o.live, "live", false, "run kubectl, which has to be installed, and ask about the cluster of its current context; it only reads")
	fs.StringVar(&o.context, "context", "", "the same for the kubectl context of a `NAME`")
	fs.StringVar(&o.kubeconfig, "kubeconfig", "", "the same with kubectl's configuration in a `FILE`")
	fs.StringVar(&o.sample, "sample", "", "a small cluster to learn from, by `NAME`, with a question that is asked already and what its answer shows; \"list\" describes them")
	fs.BoolVarP(&o.recursive, "recursive", "R", false, "read the folders below a folder, too, wherever a flag takes files")
	return fs
}

// namedFlags name a pod of the dump.
func (o *options) namedFlags() *pflag.FlagSet {
	fs := newFlags()
	fs.StringVar(&o.pending, "pending", "", "a pending pod of the dump, as `NAMESPACE/NAME`, with its group where groups are scheduled as a whole; or, with the feature gate for it, one on a node "+
		"that has deferred its resize in place; \"all\" asks what becomes of all that wait, in the scheduler's order")
	return fs
}

// describingFlags describe a pod. The variable describing lists their names, without the namespace.
func (o *options) describingFlags() *pflag.FlagSet {
	fs := newFlags()
	fs.Func("cpu", "`AMOUNT` of cpu, like 500m or 4", func(s string) error { return o.request("cpu", s) })
	fs.Func("memory", "`AMOUNT` of memory, like 8Gi", func(s string) error { return o.request("memory", s) })
	fs.Func("request", "anything else, as `NAME=AMOUNT`, like nvidia.com/gpu=1; may be repeated", o.requestPair)
	fs.StringVar(&o.pod.class, "class", "", "its priority class, by `NAME` (default: the cluster's default class)")
	fs.Func("priority", "its priority, a `NUMBER`, whatever the classes say", o.setPriority)
	fs.StringVarP(&o.pod.namespace, "namespace", "n", outrank.DefaultNamespace, "its namespace, by `NAME`; also that of a pending pod or manifest that names none "+
		"(default: \"default\", or that of kubectl's context where kubectl is asked)")
	fs.Lookup("namespace").DefValue = ""
	fs.StringVar(&o.pod.name, "name", "what-if", "its `NAME`; with --filename which of the objects")
	fs.FuncP("labels", "l", "its labels, as `A=B,C=D`, which budgets, affinity and spreading go by", func(s string) (err error) { o.pod.labels, err = pairs(s); return })
	fs.Func("node-selector", "labels that its node must have, as `A=B`", func(s string) (err error) { o.pod.nodeSelector, err = pairs(s); return })
	fs.Func("toleration", "a taint that it tolerates, `KEY=VALUE:EFFECT`, or KEY:EFFECT for any value, or without the effect for all; may be repeated", o.addToleration)
	fs.Func("host-port", "a port that it takes on its node, `[IP:]PORT[/PROTOCOL]`; may be repeated", o.addHostPort)
	fs.Func("claim", "a volume claim of the dump that it uses, by `NAME`, of its namespace; may be repeated", o.addClaim)
	return fs
}

// changeFlags change the cluster before the question is asked. They share the list o.changes, which keeps the
// order in which they are given (see ordered).
func (o *options) changeFlags() *pflag.FlagSet {
	fs := newFlags()
	add := func(flag, short, usage string, check func(string) error) {
		fs.VarP(&ordered{o: o, flag: flag, check: check}, flag, short, usage)
	}

	add(changeFile, "f", "`FILE`s or folders with manifests, in JSON or YAML, - for standard input: all pods that a Pod, Deployment, "+
		"ReplicaSet, StatefulSet, DaemonSet, Job or CronJob makes, with the budgets, classes, groups, nodes, quotas and namespaces beside them; --name chooses one of "+
		"several objects. What makes a single pod is the pod in question, where none is named. What an API server would add (requests from limits, "+
		"host ports and so on) is filled in here, and a warning names what is not; best is what kubectl create --dry-run=server -f pod.yaml -o json "+
		"makes of it; --pod is the same", nil)

	// Values are checked when they are given, so that the message names their flag. The namespace is settled
	// later; for the check the default one stands in.
	add(changeWithout, "", "`NODE`s that are drained or lost, by name or as LABEL=VALUE; may be repeated", nil)
	add(changeAddNode, "", "a `NODE` more like one of the dump, or those of a file; NODE=N for N of them; may be repeated", func(text string) error {
		_, _, err := times(text)
		return err
	})

	add(changeClass, "", "a priority class changes to `NAME=VALUE`, or is made; pods keep the priority that they were created with; may be repeated", func(text string) error {
		_, err := classOf(text)
		return err
	})
	add(changeClasses, "", "the same for the classes in a `FILE`, in JSON or YAML; may be repeated", nil)

	// Given without a value, this flag is on.
	fs.Var(&ordered{o: o, flag: changeAgain}, changeAgain, "controllers recreate all pods, with the priorities that the classes give by then")
	fs.Lookup(changeAgain).NoOptDefVal = "true"

	add(changeBudget, "", "what a disruption budget allows: `NAMESPACE/NAME=NUMBER`; may be repeated", func(text string) error {
		_, _, err := budgetOf(text, outrank.DefaultNamespace)
		return err
	})
	add(changeDelete, "", "pods that are deleted, as `NAMESPACE/NAME`, or @FILE with one in each line; may be repeated", nil)
	add(changeResize, "", "other requests of a running pod, in place, as `POD=cpu=AMOUNT,memory=AMOUNT`, where POD is [NAMESPACE/]NAME, or NAMESPACE/NAME/CONTAINER; may be repeated", func(text string) error {
		_, err := resizeFrom(text, outrank.DefaultNamespace)
		return err
	})

	fs.BoolVar(&o.about.atMaximum, "at-maximum", false, "as many pods of each manifest as its HorizontalPodAutoscaler may make")
	return fs
}

// questionFlags choose another question, or add to the answer about one pod.
func (o *options) questionFlags() *pflag.FlagSet {
	fs := newFlags()
	// Another question about one pod.
	fs.BoolVar(&o.about.one, "one", false, "about one of the pods of the manifest by itself, in detail")
	fs.IntVar(&o.about.replicas, "replicas", 0, "how many of a `NUMBER` of copies of the pod find room, without and with others leaving, and who leaves for each")
	fs.StringVar(&o.about.whyNot, "why-not", "", "everything about one `NODE` for the pod: what keeps it out, whose leaving would help, what it lost by")
	fs.StringVar(&o.about.onNode, "on-node", "", "what the kubelet of a `NODE` says to the pod when it is bound there: admitted, refused, or after which evictions")
	fs.BoolVar(&o.about.static, "static", false, "with --on-node: the pod is a static one, which the kubelet reads from a file")

	// More about the same question.
	fs.IntVar(&o.about.replacements, "replacements", 1, "what becomes of the victims: where their replacements fit, wait or push out others, to a `DEPTH`")
	fs.BoolVar(&o.about.exact, "exact", false, "beside the answer of kube-scheduler the best one by the same ranks, with what proves it")
	fs.BoolVar(&o.about.trace, "trace", false, "beside the answer how it comes about, step by step: all removed who could leave, put back one by one, the ranks")

	// Searches for an amount that is enough.
	fs.StringVar(&o.about.moreNodes, "more-nodes", "", "how many more nodes like a `NODE` until everybody finds a place, and until nobody has to leave")
	fs.BoolVar(&o.about.least, "least-priority", false, "the least priority with which the pod, or all pods of the manifest, find a place, and with which nobody has to leave")
	fs.BoolVar(&o.about.largest, "largest", false, "how large a pod of this shape can be: all that it asks for, made larger and smaller together")
	fs.StringVar(&o.about.emptiable, "emptiable", "", "which nodes can be emptied together, so that all their pods find a place elsewhere and nobody is pushed out: "+
		"those with `LABEL=VALUE`, or \"all\"")

	// The past.
	fs.StringVar(&o.about.whyPreempted, "why-preempted", "", "who pushed a `POD` out, as NAMESPACE/NAME, whether the rules do that, and what would have spared it: --cluster is a dump from before")
	fs.StringSliceVar(&o.about.events, "events", nil, "with --why-preempted: `FILE`s or folders with what kubectl get events -A -o json prints (default: the events in the dump, if it has any)")

	// The cluster as a whole, and victims on any node.
	fs.BoolVar(&o.about.report, "report", false, "how the cluster stands: what waits and what would help, the drain of every node, who could be pushed out, room and classes; "+
		"asked where a cluster is given and nothing else")
	fs.StringSliceVar(&o.about.diff, "diff", nil, "what changed in that report since the cluster was as in these `FILE`s, or folders")
	fs.BoolVar(&o.about.across, "across", false, "who has to leave where victims may be on other nodes, too, as kube-scheduler never takes them: "+
		"where the anti-affinity of other pods or a spreading constraint is in the way")
	return fs
}

// answerFlags say by which rules the answer is found, and how it is written.
func (o *options) answerFlags() *pflag.FlagSet {
	fs := newFlags()
	fs.StringVarP(&o.answer.format, "output", "o", "text", "the `FORM` of the answer: "+formatNames())
	fs.StringVar(&o.answer.color, "color", console.Auto, "`WHEN` to colour: auto, which is on terminals, always or never; NO_COLOR and TERM=dumb count")

	fs.TextVar(&o.release, "release", outrank.DefaultRelease, "whose rules hold: `RELEASE` v1.36 or v1.37, with feature gates behind it if need be, "+
		"like v1.37,VolumeLimitScaling=false (default: that of the newest kubelet in the dump, or the default where none says it)")
	fs.StringVar(&o.scheduler, "scheduler-config", "", "decide as a scheduler with this KubeSchedulerConfiguration does, a `FILE` in JSON or YAML "+
		"(default: as kube-scheduler does without one)")
	fs.StringVar(&o.admission, "admission-config", "", "which pods need a quota, as the API server is told: a `FILE` with its AdmissionConfiguration, in JSON or YAML "+
		"(default: none does; the quotas of the dump hold all the same)")

	fs.IntVar(&o.answer.list, "list", 5, "how many entries the lists of the text have, a `NUMBER`, 0 for all; in json and yaml about a single pod how many candidates, and nodes of each answer (default there: 20)")
	fs.Func("now", "a `TIME`, from which ages are measured and which a missing start counts as (default: a second after the latest creation "+
		"of an object in the dump, by the API server's clock, so that the same dump always gives the same answer); --as-of is the same", o.setNow)
	fs.IntVar(&o.answer.workers, "workers", min(runtime.GOMAXPROCS(0), 64), "a `NUMBER` of goroutines that share the work (default: the processors); the answer does not depend on it")
	for _, name := range []string{"release", "workers"} {
		fs.Lookup(name).DefValue = "" // The text explains on what the default depends.
	}

	fs.BoolVar(&o.answer.exitStatus, "exit-status", false, "tell answers apart by the exit status: 0 where everything fits, 3 where somebody has to leave, 4 where a pod finds no room, 5 where that depends on devices that pods claim, which are not looked at")
	fs.BoolVar(&o.answer.timings, "timings", false, "say on standard error how long each step took")
	return fs
}

// helpWidth is the width of the help in columns.
const helpWidth = 104

// examples are frequent commands, shown at the end of the help and of the manual.
const examples = `  kubectl whatif                                            # a sample cluster, to see what answers look like
  kubectl whatif --live --pending shop/checkout-2           # who would have to leave for it, and why those?
  kubectl whatif --context prod --pending all               # what becomes of everything that waits?
  kubectl whatif --cluster dump.json -f deployment.yaml --replicas 10
  kubectl whatif --cluster dump.json --cpu 2 --memory 4Gi --class standard --why-not node-7
  kubectl whatif --cluster dump.json --set-class batch=5000 # before the class is changed
  kubectl whatif --cluster dump.json --without node-7       # before the node is drained
  ` + dumpCommand + ` |
    kubectl whatif --cluster - -f pod.yaml -o html > page.html`

// helpful gives the root command a help with flags in groups. Its subcommands keep cobra's help.
func helpful(root *cobra.Command, groups []flagGroup) {
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			writeUsage(cmd.OutOrStdout(), groups)
			return
		}
		usual(cmd, args)
	})
}

// writeUsage writes the help.
func writeUsage(w io.Writer, groups []flagGroup) {
	var b strings.Builder
	b.WriteString("Who would this pod push out of the cluster I have, and why?\n\n")
	fmt.Fprintf(&b, "Usage: %s [--live | --cluster FILE] [the pod] [the question] [flags]\n", displayName)
	fmt.Fprintf(&b, "       %s kueue [--cluster FILE] [-f FILE | --pending NAME] [flags]\n", displayName)
	fmt.Fprintf(&b, "       %s version | clusterrole | completion bash|zsh|fish|powershell\n", displayName)
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString("\nA long flag may also be written with a single dash.\n\nExamples:\n" + examples + "\n")
	b.WriteString("\nExit status: 0 for an answer, also if nothing helps; 2 for input that cannot be used.\nWith --exit-status: 0 fits, 3 somebody has to leave, 4 a pod finds no room, 5 that depends on devices.\n")
	io.WriteString(w, b.String())
}
