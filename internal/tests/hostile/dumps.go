// Package hostile makes inputs that repeat one thing very many times: dumps, strings, and budgets over pods.
// Work and memory for reading them, and for deciding about them, must stay in proportion to their size.
package hostile

import (
	"strconv"
	"strings"
)

// Dumps are forms of dumps that repeat one thing, by the name of what is repeated. [Written] makes a dump of
// a form.
var Dumps = map[string]string{
	"scripts in annotations":   InPod(`"metadata":{"name":"p","annotations":{@"script-%d":"#!/bin/sh\n\techo \"one\" \\\n\t\t\"two\"\n"@}}`),
	"one string":               InPod(`"metadata":{"name":"p","annotations":{"script":"@echo \"%d\"\n@"}}`),
	"one string of quotes":     InPod(`"metadata":{"name":"p","annotations":{"script":"@\"\\@"}}`),
	"nulls":                    InList(`null`),
	"containers":               InSpec(`"containers":[@{"name":"c%d"}@]`),
	"containers with statuses": InPod(`"metadata":{"name":"p"},"spec":{"containers":[@{"name":"c%d"}@]},"status":{"containerStatuses":[@{"name":"c%d"}@]}`),
	"statuses of others":       InPod(`"metadata":{"name":"p"},"spec":{"initContainers":[@{"name":"c%d"}@]},"status":{"initContainerStatuses":[@{"name":"d%d"}@]}`),
	"sidecars":                 InSpec(`"initContainers":[@{"name":"c%d","restartPolicy":"Always","resources":{"requests":{"cpu":"1","x/r%d":"1"}}}@]`),
	"tolerations":              InSpec(`"tolerations":[@{"key":"k%d"}@]`),
	"labels":                   InPod(`"metadata":{"name":"p","labels":{@"k%d":"v"@}}`),
	"requests":                 InSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"1"@}}}]`),
	"wrong requests":           InSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"x"@}}}]`),
	"negative requests":        InSpec(`"containers":[{"name":"c","resources":{"requests":{@"x/r%d":"-1"@}}}]`),
	"wrong types":              InSpec(`"containers":[@{"name":%d}@]`),
	"one wrong type":           InSpec(`"nodeName":7,"containers":[@{"name":"c%d"}@]`),
	"unread":                   InSpec(`"other":[@{"name":"c%d"}@]`),
	"ports":                    InSpec(`"containers":[{"name":"c","ports":[@{"hostPort":%d}@]}]`),
	"claims of a pod":          InSpec(`"volumes":[@{"name":"v%d","persistentVolumeClaim":{"claimName":"c%d"}}@]`),
	"gates":                    InSpec(`"schedulingGates":[@{"name":"g%d"}@]`),
	"owners":                   InPod(`"metadata":{"name":"p","ownerReferences":[@{"name":"o%d"}@]}`),
	"conditions":               InPod(`"metadata":{"name":"p"},"status":{"conditions":[@{"type":"t%d"}@]}`),
	"terms of nodes":           InSpec(`"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[@{"matchExpressions":[{"key":"a%d","operator":"In","values":["x"]}]}@]}}}`),
	"terms of pods":            InSpec(`"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[@{"topologyKey":"k%d","labelSelector":{"matchLabels":{"a":"b%d"}}}@]}}`),
	"spreads":                  InSpec(`"topologySpreadConstraints":[@{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","topologyKey":"k%d","labelSelector":{"matchLabels":{"a":"b%d"}}}@]`),
	"taints":                   InList(`{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`),
	"taints of a node":         `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[@{"key":"k%d","effect":"NoSchedule"}@]}}`,
	"disrupted pods":           `{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"status":{"disruptedPods":{@"p%d":"2026-01-01T00:00:00Z"@}}}`,
	"selector":                 `{"kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[@{"key":"k%d","operator":"Exists"}@]}}}`,
	"budgets":                  InList(`{"kind":"PodDisruptionBudget","metadata":{"name":"b%d"},"spec":{"selector":{"matchLabels":{"app":"x"}}}}`),
	"drivers":                  `{"kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[@{"name":"d%d","allocatable":{"count":1}}@]}}`,
	"required drivers":         InList(`{"kind":"Node","metadata":{"name":"n%d"}},{"kind":"CSINode","metadata":{"name":"n%d"}},` + RequiredDriver),
	"nodes without drivers":    InList(`{"kind":"Node","metadata":{"name":"n%d"}}`) + `{"kind":"CSINode","metadata":{"name":"n"}}` + strings.ReplaceAll(Written("@"+RequiredDriver+"@", 100), "},{\"k", "}\n{\"k"),
	"claims and volumes":       InList(`{"kind":"PersistentVolumeClaim","metadata":{"name":"c%d"},"spec":{"volumeName":"v%d"}},{"kind":"PersistentVolume","metadata":{"name":"v%d"}}`),
	"volumes of one name":      InList(`{"kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"volumeName":"v%d"}},{"kind":"PersistentVolume","metadata":{"name":"v"}}`),
	"chain of groups":          InList(`{"kind":"CompositePodGroup","metadata":{"name":"c%d"},"spec":{"parentCompositePodGroupName":"c1%d"}},{"kind":"PodGroup","metadata":{"name":"g%d"},"spec":{"parentCompositePodGroupName":"c%d","schedulingPolicy":{"basic":{}}}}`),
	"groups of one parent":     InList(`{"kind":"CompositePodGroup","metadata":{"name":"c%d"},"spec":{"parentCompositePodGroupName":"c0","disruptionMode":{"all":{}}}}`),
	"templates":                `{"kind":"Workload","metadata":{"name":"w"},"spec":{"podGroupTemplates":[@{"name":"t%d"}@]}}`,
	"composite templates":      `{"kind":"Workload","metadata":{"name":"w"},"spec":{"compositePodGroupTemplates":[{"name":"t","compositePodGroupTemplates":[@{"name":"t%d"}@]}]}}`,
	"unread in templates":      `{"kind":"Workload","metadata":{"name":"w"},"spec":{"compositePodGroupTemplates":[{"name":"t","compositePodGroupTemplates":[{"name":"t","other":[@{"name":"t%d"}@]}]}]}}`,
	"topology of a group":      `{"kind":"PodGroup","metadata":{"name":"g"},"spec":{"schedulingConstraints":{"topology":[@{"key":"k%d"}@]}}}`,
	"who disables preemption":  `{"kind":"Node","metadata":{"name":"n"},"spec":{"podPreemptionPolicy":{"disableResizePreemption":[@"a%d"@]}}}`,
	"pods of a group":          InList(`{"kind":"PodGroup","metadata":{"name":"g%d"},"spec":{}},{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"schedulingGroup":{"podGroupName":"g"}}}`),
}

// RequiredDriver is the form of a CSIDriver object that keeps pods with its volumes off nodes without the
// driver.
const RequiredDriver = `{"kind":"CSIDriver","metadata":{"name":"d%d"},"spec":{"preventPodSchedulingIfMissing":true}}`

// InList returns the form of a list that repeats part as its items.
func InList(part string) string { return `{"kind":"List","items":[@` + part + `@]}` }

// InPod returns the form of a pod with these fields.
func InPod(parts string) string { return `{"kind":"Pod",` + parts + `}` }

// InSpec returns the form of a pod with these fields of its spec.
func InSpec(fields string) string { return InPod(`"metadata":{"name":"p"},"spec":{` + fields + `}`) }

// Written returns the dump of a form. What stands between two @ is repeated, separated by commas, with %d
// replaced by the number of the repetition.
func Written(form string, times int) string {
	var b strings.Builder
	for i, part := range strings.Split(form, "@") {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}

		pieces := strings.Split(part, "%d")
		for n := range times {
			if n > 0 {
				b.WriteByte(',')
			}
			number := strconv.Itoa(n)
			for k, piece := range pieces {
				if k > 0 {
					b.WriteString(number)
				}
				b.WriteString(piece)
			}
		}
	}
	return b.String()
}
