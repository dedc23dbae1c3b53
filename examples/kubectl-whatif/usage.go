package main

import (
	"fmt"
	"io"
)

// usage is written out by hand: the flags belong in groups, and the examples
// are what most people come for.
const usage = `whatif: who would this pod push out of the cluster I have, and why?

usage: whatif [-cluster FILE] [the pod] [flags]

Where to look (default: a sample cluster that comes with the program)
  -cluster FILE        a dump in JSON, plain or gzipped, - for standard input:
        ` + dumpCommand + `

The pod, one way of naming it (default for the sample: ` + sampleQuestion + `)
  -pending NS/NAME     a pending pod of the dump or, with the feature gate for it, one on
                       a node that has deferred its resize in place
  -pod FILE            a manifest in JSON, - for standard input; best as the API server
                       would make it, which also reads YAML:
                       kubectl create --dry-run=server -f pod.yaml -o json
                       (with client instead, requests, host ports and so on are filled in
                       here, and a warning names what is not)
  or described:
  -cpu AMOUNT          like 500m or 4
  -memory AMOUNT       like 8Gi
  -request NAME=AMOUNT anything else, like nvidia.com/gpu=1; may be repeated
  -class NAME          its priority class (default: the cluster's default class)
  -priority NUMBER     its priority, whatever the classes say
  -namespace NAME      its namespace (default: default)
  -name NAME           its name (default: what-if)
  -labels A=B,C=D      its labels, which budgets, affinity and spreading go by
  -node-selector A=B   labels that its node must have

How to answer
  -release RELEASE     whose rules hold: v1.36 or v1.37, with feature gates behind it if
                       need be, like v1.37,VolumeLimitScaling=false (default: that of the
                       newest kubelet in the dump, or the default where none says it)
  -scheduler-config FILE
                       decide as a scheduler with this KubeSchedulerConfiguration does,
                       in JSON: yq -o=json . scheduler.yaml
                       (default: as kube-scheduler does without one)
  -o text|json         the form of the answer (default: text)
  -list N              how many candidates, reasons and nodes the text lists (default: 5)
  -now TIME            what ages are measured from and a missing start counts as
                       (default: a second after the latest start, deletion, heartbeat or
                       change of a condition in the dump, so that the same dump always
                       gives the same answer)
  -workers N           goroutines that share the work (default: the processors);
                       the answer does not depend on it
  -timings             say on standard error how long each step took

Examples
  whatif
  whatif -pending ml/train-2
  whatif -cpu 2 -memory 4Gi -class standard
  whatif -cpu 6 -memory 12Gi -priority 200000 -node-selector topology.kubernetes.io/zone=eu-1a
  ` + dumpCommand + ` |
    whatif -cluster - -pod pod.json

Exit status: 0 for an answer, also if nothing helps; 2 for input that cannot be used.
`

func printUsage(w io.Writer) { fmt.Fprint(w, usage) }
