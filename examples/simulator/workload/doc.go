// Package workload answers which nodes a simulated cluster has, and which pods arrive when. It reads nodes
// and pods from CSV files in the format of the openb traces (Alibaba, 2023), and makes more or denser work
// from them.
//
// # Nodes
//
//	sn          name of the node; required
//	cpu_milli   thousandths of a core; required
//	memory_mib  mebibytes; required
//	gpu         number of GPUs; blank means none
//	model       the GPUs' model, which becomes the label [ModelLabel]
//
// # Pods
//
//	name            blank, or no such column, gives a name by the line
//	cpu_milli       thousandths of a core
//	memory_mib      mebibytes
//	num_gpu         number of GPUs
//	gpu_milli       thousandths of each GPU, 1 to 1000; blank means 1000
//	gpu_spec        models that will do, with | between them; blank means any
//	qos             service class, which gives the priority; blank means [NoClass]
//	creation_time   seconds; when the pod comes; required
//	deletion_time   seconds; blank means that it never ends
//	scheduled_time  seconds; blank means the creation time
//	pod_phase       means nothing here
//	node_name, static, memory_used_mib  are only for a run with kubelets
//
// A pod runs for as long as it did between scheduled_time and deletion_time. A blank amount is 0. Columns may
// come in any order; their headings name them. Any other heading is an error, because it is most likely a
// slip. A column without a heading must be empty. A row may be shorter than the headings, but not longer.
// Names have at most 253 bytes, rows 64 KiB, and files a million rows.
//
// # GPUs
//
// Pods of these traces share GPUs, which whole numbers of devices cannot express. So there is one extended
// resource, [GPU], in thousandths of a GPU: a node offers 1000 for each of its GPUs, and a pod requests
// num_gpu times gpu_milli. Shared and whole GPUs count against the same amount. The GPUs of a node are not
// told apart: three pods with 600 each fit a node with 2 GPUs here, although no two of them could share one.
package workload
