"""LangChain's memory classes, with memzoo's memories behind them; `memzoo.langchain` has their names."""
