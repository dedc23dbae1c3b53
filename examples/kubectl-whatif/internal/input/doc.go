// Package input turns people's files into the library's input: folders into
// files, gzip into text, YAML into JSON, several files into one stream, and the
// objects that make pods into the pods that they would make.
package input
