module github.com/outrank-go/outrank/.ci/dist

go 1.26.0
