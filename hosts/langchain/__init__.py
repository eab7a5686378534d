"""Classes with the interface of LangChain's memory classes, based on memzoo's memories; import `memzoo.langchain`."""
